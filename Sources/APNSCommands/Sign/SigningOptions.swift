import APNSOutput
import ArgumentParser
import CommandSupport
import CredentialFormats
import Logging
import MartletCommand
import MartletConfiguration
import Observability
import PackageSigning
import PushModel
import Routing
import Store

/// The options for the package's folder, certificate and destination.
struct SigningOptions: ParsableArguments {
    @Argument(help: "The folder with the package's files.", completion: .directory)
    var folder: String

    @Option(help: "The file to write; '-' writes to standard output.", completion: .file())
    var output: String

    @Flag(help: "Overwrite an existing file.")
    var force = false

    @Option(
        help: "A file to use instead of the folder's website.json or pass.json; '-' reads standard input.",
        completion: .file())
    var json: String?

    @Option(
        name: .customLong("file"),
        help: "The certificate and its key, as for 'credential import'. May be repeated.",
        completion: .file())
    var files: [String] = []

    @Option(help: "The id of a certificate in the database, instead of --file.")
    var credential: String?

    @Option(
        name: .customLong("intermediate"),
        help: "The certificate of Apple that issued yours (.cer or PEM). May be repeated.",
        completion: .file())
    var intermediates: [String] = []

    @OptionGroup var passphrase: PassphraseOption
    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard files.isEmpty == (credential != nil) else {
            throw ValidationError("pass either --file or --credential")
        }
    }

    private var target: PackageOutput { PackageOutput(path: output, force: force) }

    func source() throws -> SourceFolder {
        try target.check()
        return try SourceFolder(path: folder, output: output)
    }

    func description() throws -> [UInt8]? { try json.map(readInput) }

    func identity() async throws -> SigningIdentity {
        let (name, kind) = try await stored() ?? read()
        guard case .certificate(let chain, let key) = kind else {
            throw CredentialFault("\(name): is a key, but Apple requires packages to be signed with a certificate")
        }
        var others: [Certificate] = []
        for path in intermediates {
            let file = try CredentialFile(path: path)
            let certificates = try file.open(passphrase: nil).certificates
            guard !certificates.isEmpty else { throw file.fault("has no certificate") }
            others += certificates
        }
        return try SigningIdentity(name: name, chainDER: chain, privateKeyDER: key, others: others, now: .now)
    }

    /// Reads the certificate from the database.
    /// - Returns: the certificate, or `nil` if `--credential` was not given.
    private func stored() async throws -> (String, Credential.Kind)? {
        guard let id = credential?.lowercased() else { return nil }
        return try await withDatabase(options, for: "sign") { source, pool in
            let snapshot = try await SnapshotStore.load(
                from: pool, keyring: try source.keyring(), logger: try source.logger("martlet.sign", atLeast: .critical)
            ).current
            guard let opened = snapshot.opened(id) else {
                throw StoreError(.notFound, "there is no credential \(id), or it is retired")
            }
            return ("credential \(id)", try opened.get().kind)
        }
    }

    private func read() throws -> (String, Credential.Kind) {
        var details = CredentialDetails()
        details.passphrase = try passphrase.read()
        let opened = try files.map { try CredentialFile(path: $0) }
        guard try opened.contains(where: { !(try $0.open(passphrase: details.passphrase).certificates.isEmpty) }) else {
            throw CredentialFault(
                "\(files.joined(separator: ", ")): no certificate, but Apple requires packages to be signed with one")
        }
        let credential = try APNSCredentials().read(opened, details, now: .now)
        return (opened.first?.name ?? "", credential.kind)
    }

    /// Writes the package and prints a summary.
    func write(
        _ archive: [UInt8], of id: String, _ count: Int, _ leftOut: [String], by identity: SigningIdentity
    ) throws {
        try target.write(archive)
        let end = String(identity.certificate.notAfter.rfc3339.prefix(10))
        var lines = ["\(output): \(id), \(Phrase.count(count, "file")), signed; the certificate expires on \(end)"]
        if !leftOut.isEmpty { lines.append("left out: \(leftOut.joined(separator: ", "))") }
        // The package may go to standard output, so the summary then goes to standard error.
        for line in lines { if target.isFile { print(line) } else { printError(line) } }
    }
}
