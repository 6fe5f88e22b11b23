import Addressing
import Dispatch
import NIOCore
import Threading

/// Looks names up, each at most once at a time: who asks for one that the system is still asking about joins.
///
/// So a name server that does not answer takes one thread for each name, which has no other use, and what has timed
/// out meanwhile does not wait its turn before what is asked now.
package final class NameLookups: Sendable {
    private let waiting = Mutex<[Endpoint: [EventLoopPromise<[SocketAddress]>]]>([:])

    package init() {}

    func addresses(
        of endpoint: Endpoint, resolve: @escaping PoolConfiguration.Resolver, on eventLoop: any EventLoop
    ) -> EventLoopFuture<[SocketAddress]> {
        let found = eventLoop.makePromise(of: [SocketAddress].self)
        let isFirst = waiting.withLock { waiting in
            waiting[endpoint, default: []].append(found)
            return waiting[endpoint]?.count == 1
        }
        if isFirst {
            DispatchQueue.global().async {
                self.tell(endpoint, Result { try resolve(endpoint.host, endpoint.port) })
            }
        }
        return found.futureResult
    }

    private func tell(_ endpoint: Endpoint, _ result: Result<[SocketAddress], any Error>) {
        let promises = waiting.withLock { $0.removeValue(forKey: endpoint) ?? [] }
        for promise in promises { promise.completeWith(result) }
    }
}
