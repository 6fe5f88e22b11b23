import APNSSimulator
import ArgumentParser
import CommandSupport
import CredentialFormats
import Foundation

/// The command `martlet-simulator certificate`, which issues a push certificate that the simulator accepts.
struct CertificateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate", abstract: "Issue a push certificate from the simulator's authority.")

    @Option(help: "The directory of the simulator's certificate authority. Created if missing.")
    var directory = ".local/simulator"

    @Option(help: "The app's bundle id.")
    var app: String

    @Option(help: "A topic of the certificate. May be repeated. Default: the app, its .voip and its .complication.")
    var topic: [String] = []

    @Option(help: "The environment: production or sandbox. May be repeated. Default: both.")
    var environment: [SimulatorConfiguration.Environment] = []

    @Option(help: "The team id in the certificate. Default: none, so that 'credential import' needs --team.")
    var team: String?

    @Option(help: "The file for the certificate and its key: PKCS #12 if the name ends in .p12, otherwise PEM.")
    var output: String

    @Option(help: "The key type: rsa, as in Apple's certificates, or ec.")
    var key = CertificateAuthority.KeyKind.rsa

    @Option(help: "The passphrase of the .p12 file.")
    var password = ""

    func validate() throws {
        guard password.isEmpty || isPKCS12 else { throw ValidationError("--password: applies only to .p12 files") }
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
