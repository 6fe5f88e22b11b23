import Foundations
import CryptoExtras
import FCMOutput
import FCMSimulator
import Foundation
import Logging
import NIOCore
import NIOPosix
import OutputConformance
import PushModel
import Store

extension OutputHarness {
    /// A harness for the FCM output, with an FCM simulator over TLS as its double.
    static let fcm = fcm(requestTimeoutSeconds: 30)

    /// A harness with a short request timeout, for rules that wait for a silent provider.
    static let impatientFCM = fcm(requestTimeoutSeconds: 10)

    private static func fcm(requestTimeoutSeconds: Int) -> OutputHarness {
        let doubtful = "doubtful:APA91b", credentialRefused = "unauthenticated:APA91b"
        let keyID = "0123abcd", project = "shop-1a2b3"
        // Two service accounts of one project.
        let emails = ["push", "other"].map { "\($0)@\(project).iam.gserviceaccount.com" }
        let key = (try? _RSA.Signing.PrivateKey(keySize: .bits2048))?.pkcs8PEMRepresentation ?? ""
        let samples = OutputSamples(
            payload: #"{"notification":{"title":"Hi"}}"#, refused: ["bad00400:APA91b", "bad00403:APA91b", "no token"],
            dead: ["dead0404:APA91b"], doubtful: [doubtful], credentialRefused: [credentialRefused],
            credentials: emails.map { email in
                let file = try? JSONSerialization.data(withJSONObject: [
                    "type": "service_account", "project_id": project, "private_key_id": keyID, "private_key": key,
                    "client_email": email,
                    "token_uri": "https:" + "//localhost\(SimulatedFCM.tokenPath)",
                ])
                return Credential(
                    id: email, output: "fcm", kind: .secret(Secret(file ?? Data())), account: project,
                    environments: [.production])
            },
            crowd: 3 * SimulatedProvider<FCMDouble>.streams
        ) { "n\($0):APA91bH" }
        return OutputHarness("fcm", samples: samples) {
            let double = try await SimulatedProvider<FCMDouble>(
                project: project, emails: emails, keyID: keyID, key: key)
            double.simulator.setAnswer(PlannedFCMAnswer(.notFound), forToken: doubtful)
            double.simulator.setAnswer(PlannedFCMAnswer(.unauthenticated), forToken: credentialRefused)
            return OutputSetup(
                plugin: FCMPlugin(), output: double.makeOutput(requestTimeoutSeconds: requestTimeoutSeconds),
                behaviours: double.behaviours,
                // Requests for access tokens, which the double counts by path, are left out.
                arrivals: { double.arrivals.filter { !$0.key.hasPrefix("/") } },
                openConnections: { await double.openConnections }, stop: { await double.stop() })
        }
    }
}
