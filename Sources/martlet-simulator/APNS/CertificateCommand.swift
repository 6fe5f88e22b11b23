import APNSSimulator
import ArgumentParser
import MartletCommand
import CredentialFormats
import Foundation

/// The command `martlet-simulator certificate`, which issues a push certificate that the simulator accepts.
struct CertificateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate", abstract: "Issue a push certificate from the simulator's authority.")

    @Option(help: "Where the simulator's certificate authority is kept; made if missing.")
    var directory = ".local/simulator"

    @Option(help: "The app's bundle identifier.")
    var app: String

    @Option(help: "A topic it may push to; may be repeated. Default: the app, its .voip and its .complication.")
    var topic: [String] = []

    @Option(help: "Where it may be used, production or sandbox; may be repeated. Default: both.")
    var environment: [SimulatorConfiguration.Environment] = []

    @Option(help: "Id of the team that it says it is of. Default: it says none, and 'credential import' needs --team.")
    var team: String?

    @Option(help: "Where to write certificate and private key: as PKCS #12 if it ends in .p12, else both in PEM form.")
    var output: String

    @Option(help: "Kind of its key: rsa, as Apple's certificates have it, or ec.")
    var key = CertificateAuthority.KeyKind.rsa

    @Option(help: "The .p12's passphrase.")
    var password = ""

    func validate() throws {
        guard password.isEmpty || isPKCS12 else { throw ValidationError("--password: only a .p12 has one") }
    }

    private var isPKCS12: Bool { output.lowercased().hasSuffix(".p12") }

    func run() async throws {
        let authority = try AuthorityDirectory(path: directory).loadOrCreate()
        let environments = environment.isEmpty ? SimulatorConfiguration.Environment.allCases : environment
        let issued = try authority.issueClientCertificate(
            app: app, topics: topic, environments: Set(environments), team: team, key: key)
        if isPKCS12 {
            let bytes = try PKCS12Writer.write(
                certificatePEM: issued.certificatePEM, privateKeyPEM: issued.privateKeyPEM, name: app,
                passphrase: password)
            try AuthorityDirectory.save(Data(bytes), to: output, mode: 0o600)
        } else {
            try AuthorityDirectory.save(
                issued.certificatePEM + "\n" + issued.privateKeyPEM + "\n", to: output, mode: 0o600)
        }
        print("\(output): push certificate for \(app)")
    }
}
