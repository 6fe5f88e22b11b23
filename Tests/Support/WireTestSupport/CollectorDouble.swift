import Threading

/// A collector of traces on loopback, which answers as a test says and keeps what it was sent.
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

    /// Of requests that were answered with 200.
    package var spans: [CollectedSpan] { states.now.withLock { $0.spans } }
    /// Of all requests.
    package var bodies: [[UInt8]] { states.now.withLock { $0.bodies } }
    /// What is against OTLP or OpenTelemetry's conventions.
    package var problems: [String] { states.now.withLock { $0.problems } }
    package var names: [String] { spans.map(\.name) }

    /// - Parameters:
    ///   - answers: to the first requests; the others are taken.
    ///   - protocols: as of ``HTTP1Server``; nil: there is no TLS.
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
        if request.line != "POST /v1/traces" { problems.append("asked for \(request.line)") }
        if request.fields["content-type"] != "application/json" { problems.append("the body is no application/json") }
        if request.fields["user-agent"]?.hasPrefix("martlet/") != true { problems.append("no user-agent") }
        return states.now.withLock { state in
            state.problems += problems
            state.bodies.append(request.body)
            guard state.answers.isEmpty else { return state.answers.removeFirst() }
            state.spans += spans
            return .answer(200, "{}", fields: ["content-type: application/json"])
        }
    }
}
