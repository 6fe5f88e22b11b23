import APNSOutput
import APNSSimulator
import Crypto
import Foundation
import Logging
import NIOPosix
import OutputConformance
import PushModel
import PushSimulator
import Store
import Foundations

extension OutputHarness {
    /// A harness for the APNs output, with an APNs simulator over TLS as its double.
    static let apns = apns(requestTimeoutSeconds: 30)

    /// A harness with a short request timeout, for rules that wait for a silent provider. For other rules it is too
    /// short, because answers may take that long on a busy machine.
    static let impatientAPNS = apns(requestTimeoutSeconds: 10)

    private static func apns(requestTimeoutSeconds: Int) -> OutputHarness {
        let team = "TEAM123456"
        let doubtful = "d0bb7403" + String(repeating: "0", count: 56)
        let credentialRefused = "c4ed0403" + String(repeating: "0", count: 56)
        let keys = ["ABC123DEFG", "ABC123DEFH"].map { (id: $0, key: P256.Signing.PrivateKey()) }
        let samples = OutputSamples(
            payload: #"{"aps":{"alert":"Hi"}}"#, fields: ["push_type": #""alert""#],
            refused: ["bad00400" + String(repeating: "0", count: 56), "no token"],
            dead: ["dead0410" + String(repeating: "0", count: 56)], doubtful: [doubtful],
            credentialRefused: [credentialRefused],
            credentials: keys.map { id, key in
                Credential(
                    id: id, kind: .token(keyID: id, privateKeyPEM: Secret(key.pemRepresentation.utf8)), account: team,
                    environments: [.production])
            },
            crowd: 3 * SimulatedProvider<APNSDouble>.streams
        ) { number in
            let digits = String(number + 1, radix: 16)
            return String(repeating: "0", count: 64 - digits.count) + digits
        }
        return OutputHarness("apns", samples: samples) {
            let double = try await SimulatedProvider<APNSDouble>(
                keys: keys.map { TokenKey(team: team, keyID: $0.id, publicKey: $0.key.publicKey) })
            double.simulator.setAnswer(PlannedAnswer(status: 403), forToken: doubtful)
            double.simulator.setAnswer(PlannedAnswer(.invalidProviderToken), forToken: credentialRefused)
            return OutputSetup(
                plugin: APNSPlugin(), output: try double.makeOutput(requestTimeoutSeconds: requestTimeoutSeconds),
                behaviours: double.behaviours, arrivals: { double.arrivals },
                openConnections: { await double.openConnections }, stop: { await double.stop() })
        }
    }
}
