import ArgumentParser
import Foundation
package import PushModel

/// For a file that is encrypted.
package struct PassphraseOption: ParsableArguments {
    @Option(help: "File with the passphrase of a .p12 or an encrypted key; '-' asks for it.", completion: .file())
    var passphraseFile: String?

    package init() {}

    /// - Returns: nil where none is named.
    package func read() throws -> Secret? {
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
