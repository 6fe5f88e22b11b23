import Contract
import DeliveryPipeline
import TestSupport

/// The results queue of another consumer. While it is bound, it accepts a few result events and rejects all others.
struct FullQueue: Sendable {
    private static let length = 20
    /// The time limit of an operation. It is long, because the broker may be unavailable.
    private static let longestWait = Duration.seconds(120)

    private let names: PipelineNames
    private let broker: Broker

    init(_ names: PipelineNames, broker: Broker) {
        (self.names, self.broker) = (names, broker)
    }

    private var name: String { "\(names.prefix).full" }

    /// Binds the queue. It is full a moment later.
    func fill() async throws {
        try await untilDone("binding") { try await broker.bindShort(name, length: Self.length, to: names.results) }
    }

    /// Unbinds and empties the queue, so that no result event is rejected.
    func empty() async throws {
        try await untilDone("emptying") { try await broker.unbind(name, from: names.results) }
    }

    private func untilDone(_ what: String, _ body: () async throws -> Void) async throws {
        try await eventually("\(what) of \(name)", within: Self.longestWait) {
            do {
                try await body()
                return true
            } catch {
                try await Task.sleep(for: .milliseconds(200))
                return false
            }
        }
    }
}
