import Foundation
import PushModel
import Store

/// The marks of dead tokens for which a delayed result event waits, decoded from its body.
struct DelayedMarks: Decodable {
    private struct Dead: Decodable {
        let recipient: String
        let reason: String
        let unregisteredAt: String
    }

    private let output: String
    private let app: String
    private let environment: String
    private let outcomes: [Dead]

    /// Decodes the marks, or returns `nil` if the body is not a result event with dead tokens.
    static func read(_ body: [UInt8], _ recipients: [String: RecipientForm]) -> [TokenMark]? {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let held = try? decoder.decode(DelayedMarks.self, from: Data(body)),
            let environment = PushEnvironment(rawValue: held.environment)
        else { return nil }
        let form = recipients[held.output] ?? .text
        return held.outcomes.compactMap { dead in
            Timestamp(rfc3339: dead.unregisteredAt).map { died in
                TokenMark(
                    key: DeviceTokenKey(
                        output: held.output, app: held.app, environment: environment, form: form,
                        token: dead.recipient),
                    unregisteredAt: died, reason: dead.reason)
            }
        }
    }
}
