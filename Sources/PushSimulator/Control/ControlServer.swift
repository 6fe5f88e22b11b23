internal import Foundations
internal import HTTPServing
internal import NIOPosix

/// A running control endpoint.
struct ControlServer: Sendable {
    let port: Int
    private let listener: HTTPListener

    /// Starts the endpoint and waits until it listens.
    ///
    /// - Throws: ``SimulatorError`` that names the port if it cannot be opened.
    static func start(
        configuration: ServerConfiguration, port: Int, answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) async throws -> ControlServer {
        var limits = ServingLimits()
        limits.body = ControlGate.longestBody
        limits.request = configuration.timeout
        limits.sending = configuration.timeout
        let listener = HTTPListener(
            limits: limits, eventLoops: MultiThreadedEventLoopGroup.singleton, answer: answer)
        let endpoint = Endpoint(host: configuration.host, port: port)
        do {
            return ControlServer(port: try await listener.listen(on: endpoint), listener: listener)
        } catch {
            throw SimulatorError("control endpoint: cannot listen on \(endpoint): \(error)")
        }
    }

    /// Stops the endpoint. Requests that have arrived are still answered, for at most one second.
    func stop() async {
        await listener.stop(within: .seconds(1))
    }
}
