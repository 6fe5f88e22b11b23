/// The behaviour of a server: its limits, and its responses to requests.
struct HTTPService: Sendable {
    let limits: ServingLimits
    /// Fields of every response, by name.
    let fields: [(name: String, value: String)]
    let answer: @Sendable (HTTPRequest) async -> HTTPResponse
}
