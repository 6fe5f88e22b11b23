import CryptoExtras
import FCMOutput
import FCMSimulator
import Foundation
import Logging
import PushModel
import Store
import Foundations

/// The FCM service of a run. Each app has a project, and the project's service accounts are rotated.
final class FCMService: Service {
    let output = OutputKind.fcm
    private let simulator: SimulatedFCM
    /// The e-mail addresses of the service accounts, by the name of the app.
    private let emails = Mutex<[String: [String]]>([:])

    init(_ log: RunLog, _ logger: Logger) async throws {
        simulator = try await .started { port in
            var configuration = FCMSimulatorConfiguration()
            configuration.port = port
            configuration.controlPort = nil
            // Workers renew an access token five minutes before it expires. With this lifetime, they renew it every 30
            // seconds.
            configuration.tokenLifetime = 330
            return try SimulatedFCM(configuration: configuration, logger: logger)
        }
        simulator.report(to: log) { $0 == SimulatedFCM.tokenPath }
    }

    var port: UInt16? { UInt16(clamping: simulator.port) }
    var authorityPEM: String { get throws { try simulator.caCertificatePEM } }

    func settings(port: UInt16, authority: URL, _ profile: Profile) -> [String: String] {
        [
            "fcm.endpoint": "127.0.0.1:\(port)", "fcm.token_endpoint": "127.0.0.1:\(simulator.port)",
            "fcm.ca_file": authority.path, "fcm.request_timeout": "\(profile.longestTimeoutSeconds)",
        ]
    }

    func account(of app: Workload.AppPlan) -> String { "torture-\(app.name)" }

    func newCredential(of app: Workload.AppPlan) throws -> NewCredential {
        let (project, key) = (account(of: app), try _RSA.Signing.PrivateKey(keySize: .bits2048))
        let keyID = String(UInt64.random(in: 1 << 60..<1 << 63), radix: 16)
        let email = "key-\(keyID)@\(project).iam.gserviceaccount.com"
        simulator.register(
            try SimulatedAccount(
                project: project, email: email, keyID: keyID, pem: key.publicKey.pemRepresentation))
        emails.withLock { $0[app.name, default: []].append(email) }
        let members = [
            "type": "service_account", "project_id": project, "private_key_id": keyID,
            "private_key": key.pkcs8PEMRepresentation, "client_email": email,
            "token_uri": "https://127.0.0.1:\(simulator.port)\(SimulatedFCM.tokenPath)",
        ]
        let file = CredentialFile(name: "\(email).json", contents: Secret(try JSONEncoder().encode(members)))
        return try FCMCredentials().read([file], CredentialDetails(), now: .now)
    }

    func carryOut(_ fault: ServiceFault, for time: Duration) async throws {
        switch fault {
        case .revokedTokens: simulator.revokeTokens()
        case .noAccessTokens(let isSilent):
            try await during(time) {
                simulator.setTokenFault(
                    isSilent ? PlannedFCMAnswer(loss: .silence) : PlannedFCMAnswer(.unavailable))
                simulator.revokeTokens()
            } _: {
                simulator.setTokenFault(nil)
            }
        case .refusedAccount(let app, let byTokenEndpoint):
            let refusal =
                byTokenEndpoint
                ? AccountRefusal(tokenError: "invalid_grant") : AccountRefusal(sendFault: .permissionDenied)
            let known = emails.withLock { $0[Workload.apps[app].name] ?? [] }
            try await during(time) {
                for email in known { simulator.refuse(email, refusal) }
                if byTokenEndpoint { simulator.revokeTokens() }
            } _: {
                for email in known { simulator.refuse(email, nil) }
            }
        default:
            guard try await simulator.carryOut(fault, for: time, answer: PlannedFCMAnswer.init) else {
                throw cannot(fault)
            }
        }
    }

    func stop() async { await simulator.stop() }
}

extension PlannedFCMAnswer {
    fileprivate init(_ answer: ServiceAnswer) {
        self =
            switch answer {
            case .tooMany(let seconds): PlannedFCMAnswer(.quotaExceeded, retryAfter: seconds)
            case .unavailable(let seconds): PlannedFCMAnswer(.unavailable, retryAfter: seconds)
            case .broken: PlannedFCMAnswer(.internalError)
            case .mismatch: PlannedFCMAnswer(.senderIDMismatch)
            }
    }
}
