import Foundation
import Logging
import PushModel
import Foundations
import WebPushSimulator

/// Subscriptions and their keys, by endpoint. Every simulator that ``simulator()`` returns accepts them.
final class SampleSubscriptions: Sendable {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "webpush-\(UUID().uuidString)").path
    private let registry = Mutex<SimulatedWebPush?>(nil)
    private let keys = Mutex<[String: SubscriptionJSON.Keys]>([:])

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    func simulator() throws -> SimulatedWebPush {
        var configuration = WebPushSimulatorConfiguration()
        configuration.controlPort = nil
        configuration.streamLimit = SimulatedProvider<WebPushDouble>.streams
        configuration.directory = directory
        configuration.hostnames = [SimulatedProvider<WebPushDouble>.host]
        configuration.server.protocolsByPort = [:]
        return try SimulatedWebPush(
            configuration: configuration, logger: Logger(label: "simulator") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Returns the endpoint of a new subscription.
    func endpoint(_ state: SimulatedWebPush.SubscriptionState = .good) -> String {
        do {
            let subscription = try registry.withLock { registry in
                let simulator = try registry ?? simulator()
                registry = simulator
                return try simulator.subscribe(.mozilla, key: nil, state: state)
            }
            guard let path = URL(string: subscription.endpoint)?.path else { return "none" }
            let endpoint = "https://\(SimulatedProvider<WebPushDouble>.host)\(path)"
            keys.withLock { $0[endpoint] = subscription.keys }
            return endpoint
        } catch {
            return "none: \(error)"
        }
    }

    /// Returns the `subscription` member of a recipient. An unknown endpoint gets the keys of another subscription.
    func address(_ endpoint: String) -> String {
        let keys = keys.withLock { $0[endpoint] ?? $0.first?.value }
        var text: [UInt8] = []
        JSONText.append(endpoint, to: &text)
        return """
            "subscription":{"endpoint":\(String(decoding: text, as: UTF8.self)),\
            "keys":{"p256dh":"\(keys?.p256dh ?? "")","auth":"\(keys?.auth ?? "")"}}
            """
    }
}
