import APNSOutput
import APNSSimulator
import Crypto
import Foundation
import Logging
import PushModel
import Store

/// The APNs service of a run. It is a simulator in this process.
struct APNSService: Service {
    let output = OutputKind.apns
    let simulator: SimulatedAPNS

    init(_ log: RunLog, _ logger: Logger) async throws {
        simulator = try await .started { port in
            var configuration = SimulatorConfiguration()
            configuration.port = port
            configuration.controlPort = nil
            return try SimulatedAPNS(configuration: configuration, logger: logger)
        }
        simulator.report(to: log)
    }

    var port: UInt16? { UInt16(clamping: simulator.port) }
    var authorityPEM: String { get throws { try simulator.caCertificatePEM } }

    func settings(port: UInt16, authority: URL, _ profile: Profile) -> [String: String] {
        [
            "apns.endpoint.production": "127.0.0.1:\(port)", "apns.endpoint.sandbox": "127.0.0.1:\(port)",
            "apns.ca_file": authority.path, "apns.request_timeout": "\(profile.requestTimeoutSeconds)",
        ]
    }

    func account(of app: Workload.AppPlan) -> String { app.team }

    func newCredential(of app: Workload.AppPlan) throws -> NewCredential {
        var details = CredentialDetails()
        details.account = app.team
        let file: CredentialFile
        if app.usesCertificate {
            let issued = try simulator.certificateAuthority.issueClientCertificate(app: app.bundleID)
            let pem = issued.certificatePEM + "\n" + issued.privateKeyPEM + "\n"
            file = CredentialFile(name: "\(app.bundleID).pem", contents: Secret(pem.utf8))
        } else {
            let key = P256.Signing.PrivateKey()
            let keyID = "KEY\(UInt64.random(in: 1_000_000...9_999_999))"
            simulator.register(TokenKey(team: app.team, keyID: keyID, publicKey: key.publicKey))
            file = CredentialFile(name: "AuthKey_\(keyID).p8", contents: Secret(key.pemRepresentation.utf8))
        }
        return try APNSCredentials().read([file], details, now: .now)
    }

    /// Throws an error, because the faults of APNs are cases of ``Fault``.
    func carryOut(_ fault: ServiceFault, for time: Duration) async throws { throw cannot(fault) }

    func stop() async { await simulator.stop() }
}
