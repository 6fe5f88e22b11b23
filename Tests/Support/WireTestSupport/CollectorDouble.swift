import Foundations

/// A simulated trace collector on loopback that answers as a test specifies and records the requests.
package final class CollectorDouble: Sendable {
    private struct State {
        var spans: [CollectedSpan] = []
        var bodies: [[UInt8]] = []
        var problems: [String] = []
        var answers: [HTTP1Server.Reaction] = []
    }

    private final class States: Sendable {
        let now = Mutex(State())
    }

    package let server: HTTP1Server
    private let states: States

    /// The spans of the requests that were answered with 200.
    package var spans: [CollectedSpan] { states.now.withLock { $0.spans } }
    /// The bodies of all requests.
    package var bodies: [[UInt8]] { states.now.withLock { $0.bodies } }
    /// Violations of OTLP or of OpenTelemetry's conventions.
    package var problems: [String] { states.now.withLock { $0.problems } }
    package var names: [String] { spans.map(\.name) }

    /// Runs a collector while `body` runs.
    /// - Parameters:
    ///   - answers: the answers to the first requests. Further requests are accepted.
    ///   - protocols: as for ``HTTP1Server``, or `nil` for no TLS.
    package static func with<Result>(
        _ answers: [HTTP1Server.Reaction] = [], protocols: [String]? = nil,
        _ body: (CollectorDouble) async throws -> Result
    ) async throws -> Result {
        let states = States()
        states.now.withLock { $0.answers = answers }
        return try await HTTP1Server.with(
            protocols: protocols, react: { request in Self.react(request, states) }
        ) { server in
            try await body(CollectorDouble(server, states))
        }
    }

    private init(_ server: HTTP1Server, _ states: States) { (self.server, self.states) = (server, states) }

    private static func react(_ request: HTTP1Server.Request, _ states: States) -> HTTP1Server.Reaction {
        var problems: [String] = []
        let spans = CollectedSpan.read(request.body, &problems)
        if request.line != "POST /v1/traces" { problems.append("unexpected request \(request.line)") }
        if request.fields["content-type"] != "application/json" { problems.append("content-type is not JSON") }
        if request.fields["user-agent"]?.hasPrefix("martlet/") != true { problems.append("user-agent is not martlet") }
        return states.now.withLock { state in
            state.problems += problems
            state.bodies.append(request.body)
            guard state.answers.isEmpty else { return state.answers.removeFirst() }
            state.spans += spans
            return .answer(200, "{}", fields: ["content-type: application/json"])
        }
    }
}
