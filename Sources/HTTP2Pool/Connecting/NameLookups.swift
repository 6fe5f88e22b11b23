import Dispatch
import NIOCore
import Threading

/// Looks names up, each at most once at a time: who asks for one that the system is still asking about joins.
///
/// So a name server that does not answer takes one thread for each name, which has no other use, and what has timed
/// out meanwhile does not wait its turn before what is asked now.
package final class NameLookups: Sendable {
    private struct Name: Hashable {
        let host: String
        let port: Int
    }

    private let waiting = Mutex<[Name: [EventLoopPromise<[SocketAddress]>]]>([:])

    package init() {}

    func addresses(
        host: String, port: Int, resolve: @escaping PoolConfiguration.Resolver, on eventLoop: any EventLoop
    ) -> EventLoopFuture<[SocketAddress]> {
        let name = Name(host: host, port: port)
        let found = eventLoop.makePromise(of: [SocketAddress].self)
        let isFirst = waiting.withLock { waiting in
            waiting[name, default: []].append(found)
            return waiting[name]?.count == 1
        }
        if isFirst { DispatchQueue.global().async { self.tell(name, Result { try resolve(host, port) }) } }
        return found.futureResult
    }

    private func tell(_ name: Name, _ result: Result<[SocketAddress], any Error>) {
        let promises = waiting.withLock { $0.removeValue(forKey: name) ?? [] }
        for promise in promises { promise.completeWith(result) }
    }
}
