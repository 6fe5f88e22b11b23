package import Foundations
package import NIOCore
import NIOHTTP1
import NIOPosix

/// A server of HTTP/1.1 without TLS, for status pages, probes and a simulator's control. Each connection serves one
/// request, and requests and responses are held in memory as a whole.
package final class HTTPListener: Sendable {
    private let eventLoops: any EventLoopGroup
    private let service: HTTPService
    private let connections: OpenConnections
    private let channel = Mutex<(any Channel)?>(nil)

    /// Creates a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - fields: the header fields to add to every response.
    ///   - answer: a function that returns the response to a request. Its task is cancelled if the connection ends.
    package init(
        limits: ServingLimits, eventLoops: any EventLoopGroup, fields: [(name: String, value: String)] = [],
        answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) {
        self.eventLoops = eventLoops
        service = HTTPService(limits: limits, fields: fields, answer: answer)
        connections = OpenConnections(most: limits.connections)
    }

    /// Starts listening and returns the port.
    ///
    /// - Parameter endpoint: the address. A port of 0 stands for a port that the system chooses.
    /// - Throws: ``ListenError`` with the reason.
    package func listen(on endpoint: Endpoint) async throws(ListenError) -> Int {
        let (connections, service) = (connections, service)
        let bootstrap = ServerBootstrap(group: eventLoops)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try ServedConnection(connections, service).join(channel)
                }
            }
        do {
            let listening = try await bootstrap.bind(host: endpoint.host, port: endpoint.port).get()
            channel.withLock { $0 = listening }
            return listening.localAddress?.port ?? endpoint.port
        } catch {
            throw ListenError(error)
        }
    }

    /// Stops listening and closes all connections. Requests that have been read are still answered.
    ///
    /// - Parameter patience: the maximum time for these answers.
    package func stop(within patience: Duration) async {
        try? await channel.withLock { $0.take() }?.close()
        await connections.end(within: TimeAmount(patience))
    }
}
