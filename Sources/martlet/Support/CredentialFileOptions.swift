import ArgumentParser
import CredentialStore
import Foundation
import PushModel

/// What `credential import` and `push` ask beside a credential's files.
struct CredentialFileOptions: ParsableArguments {
    @Option(help: "Apple's ten-character team id; a certificate may name it itself.")
    var team: String?

    @Option(help: "Apple's id of a .p8 key; default: as in its name, AuthKey_<id>.p8.")
    var keyID: String?

    @Option(
        name: .customLong("environment"),
        help: "Where a .p8 key may be used; can be given twice. A certificate says it itself.")
    var environments: [PushEnvironment] = []

    @Option(
        name: .customLong("topic"),
        help: "What a topic-specific .p8 key is limited to; can be given several times.")
    var topics: [String] = []

    @Option(help: "File with the passphrase of a .p12 or an encrypted key; '-' asks for it.", completion: .file())
    var passphraseFile: String?

    @Option(help: "A name for people.")
    var label: String?

    /// - Throws: `CredentialStoreError` naming the file and its fault.
    func read(_ files: [String]) throws -> NewCredential {
        var importer = CredentialImporter()
        importer.team = team
        importer.keyID = keyID
        importer.environments = environments.isEmpty ? nil : Set(environments)
        importer.topics = Set(topics)
        importer.label = label
        importer.passphrase = try passphrase()
        return try importer.read(try files.map { try CredentialFile(path: $0) }, now: .now)
    }

    private func passphrase() throws -> Secret? {
        guard let passphraseFile else { return nil }
        if passphraseFile == "-" {
            guard let typed = getpass("Passphrase: ") else {
                throw ValidationError("no terminal to ask for a passphrase")
            }
            return Secret(String(cString: typed).utf8)
        }
        let text: String
        do {
            text = try String(contentsOfFile: passphraseFile, encoding: .utf8)
        } catch {
            throw ValidationError("--passphrase-file \(passphraseFile): \(error.localizedDescription)")
        }
        return Secret(text.trimmingCharacters(in: .newlines).utf8)
    }
}
