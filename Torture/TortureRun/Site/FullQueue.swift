import DeliveryPipeline
import TestSupport

/// Somebody's queue of results that takes a few events and refuses all others, while it is bound.
struct FullQueue: Sendable {
    private static let length = 20
    /// The broker may be away.
    private static let longestWait = Duration.seconds(120)

    private let names: PipelineNames
    private let broker: Broker

    init(_ names: PipelineNames, broker: Broker) {
        (self.names, self.broker) = (names, broker)
    }

    private var name: String { "\(names.prefix).full" }

    /// Binds it; it is full a moment later.
    func fill() async throws {
        try await untilDone("binding") { try await broker.bindShort(name, length: Self.length, to: names.results) }
    }

    /// Nobody is refused any more, and nothing is left in it.
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
