package import Foundations
package import NIOCore
import NIOHTTP1
import NIOPosix

/// A server of HTTP/1.1 without TLS, for status pages, probes and a simulator's control. Each connection serves one
/// request, and requests and responses are held in memory as a whole.
package final class HTTPListener: Sendable {
    private let limits: ServingLimits
    private let eventLoops: any EventLoopGroup
    private let answer: @Sendable (HTTPRequest) async -> HTTPResponse
    private let connections: OpenConnections
    private let channel = Mutex<(any Channel)?>(nil)

    /// Creates a server that does not listen yet.
    ///
    /// - Parameter answer: a function that returns the response to a request. Its task is cancelled if the connection
    ///   ends.
    package init(
        limits: ServingLimits, eventLoops: any EventLoopGroup,
        answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) {
        (self.limits, self.eventLoops, self.answer) = (limits, eventLoops, answer)
        connections = OpenConnections(most: limits.connections)
    }

    /// Starts listening and returns the port.
    ///
    /// - Parameter endpoint: the address. A port of 0 stands for a port that the system chooses.
    /// - Throws: `IOError` if the server cannot listen on the address, or the error of the name's resolution.
    package func listen(on endpoint: Endpoint) async throws -> Int {
        let (connections, limits, answer) = (connections, limits, answer)
        let listening = try await ServerBootstrap(group: eventLoops)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try ServedConnection(connections, limits, answer).join(channel)
                }
            }
            .bind(host: endpoint.host, port: endpoint.port).get()
        channel.withLock { $0 = listening }
        return listening.localAddress?.port ?? endpoint.port
    }

    /// Stops listening and closes all connections. Requests that have arrived are still answered.
    ///
    /// - Parameter patience: the maximum time for these answers.
    package func stop(within patience: Duration) async {
        try? await channel.withLock { $0.take() }?.close()
        await connections.end(within: TimeAmount(patience))
    }
}
