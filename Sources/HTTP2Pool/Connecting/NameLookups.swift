package import Foundations
import Foundation
package import NIOCore

/// A service that looks up names. An endpoint is looked up only once at a time. A request for an endpoint that is being
/// looked up shares the result.
///
/// The service uses up to ``maximumThreads`` threads of its own, because the system's call blocks while a name server
/// does not answer. The latest request is served first, because earlier requests may already have timed out.
package final class NameLookups: Sendable {
    private struct Lookup {
        let endpoint: Endpoint
        let resolve: PoolConfiguration.Resolver
    }

    private struct State {
        var waiting: [Endpoint: [EventLoopPromise<[SocketAddress]>]] = [:]
        var queue: [Lookup] = []
        var threads = 0
    }

    package static let maximumThreads = 4

    private let state = Mutex(State())

    package init() {}

    package func addresses(
        of endpoint: Endpoint, resolve: @escaping PoolConfiguration.Resolver, on eventLoop: any EventLoop
    ) -> EventLoopFuture<[SocketAddress]> {
        let found = eventLoop.makePromise(of: [SocketAddress].self)
        let needsThread = state.withLock { state in
            state.waiting[endpoint, default: []].append(found)
            guard state.waiting[endpoint]?.count == 1 else { return false }
            state.queue.append(Lookup(endpoint: endpoint, resolve: resolve))
            guard state.threads < Self.maximumThreads else { return false }
            state.threads += 1
            return true
        }
        if needsThread { Thread.detachNewThread { self.work() } }
        return found.futureResult
    }

    /// Runs look-ups until the queue is empty.
    private func work() {
        while let lookup = next() {
            complete(lookup.endpoint, Result { try lookup.resolve(lookup.endpoint.host, lookup.endpoint.port) })
        }
    }

    private func next() -> Lookup? {
        state.withLock { state in
            let last = state.queue.popLast()
            if last == nil { state.threads -= 1 }
            return last
        }
    }

    private func complete(_ endpoint: Endpoint, _ result: Result<[SocketAddress], any Error>) {
        let promises = state.withLock { $0.waiting.removeValue(forKey: endpoint) ?? [] }
        for promise in promises { promise.completeWith(result) }
    }
}
