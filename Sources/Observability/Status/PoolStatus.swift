package import Metering
import Routing
import Store

/// The connections of one pool, as the status page shows them. A pool serves one credential, or one entry of the list
/// of allowed hosts if credentials share connections.
package struct PoolStatus: Sendable, Hashable, Encodable {
    package static let most = 50

    /// The credential's label, or `nil` if one connection serves several credentials.
    package private(set) var credential: String?
    /// The entry of the list of allowed hosts, or `nil` if the output has no such list.
    package let host: String?
    package let output: String
    package let environment: String
    package let connecting: Int
    package let open: Int
    package let draining: Int
    /// The number of requests on the wire. Its maximum is ``streamsLimit``.
    package let streams: Int
    package let streamsLimit: Int
    /// The number of requests that wait for a connection with a free stream.
    package let waiting: Int
    /// The number of times that requests were delayed by a full flow-control window instead of by the stream limit.
    package let windowBlocked: Int

    package init(
        credential: String?, host: String? = nil, output: String, environment: String, connecting: Int, open: Int,
        draining: Int, streams: Int, streamsLimit: Int, waiting: Int, windowBlocked: Int
    ) {
        (self.credential, self.host) = (credential, host)
        (self.output, self.environment) = (output, environment)
        (self.connecting, self.open, self.draining) = (connecting, open, draining)
        (self.streams, self.streamsLimit) = (streams, streamsLimit)
        (self.waiting, self.windowBlocked) = (waiting, windowBlocked)
    }

    private struct Name: Hashable {
        let output, credential, environment, host: String

        init(_ labels: [String: String]) {
            output = labels["output"] ?? ""
            credential = labels["credential"] ?? ""
            environment = labels["environment"] ?? ""
            host = labels["host"] ?? ""
        }
    }

    /// The metric families from which the pools are read.
    package static let families: [MetricFamily] = [
        .poolConnections, .poolStreams, .poolStreamsLimit, .poolWaiting, .poolWindowBlocked,
    ]

    /// Returns the pools that have connections or waiting requests. Their ``credential`` is the credential's id, not
    /// its label.
    package static func all(in page: MetricPage) -> [PoolStatus] {
        func statistics(_ family: MetricFamily) -> [Name: Int] {
            Dictionary(page.values(of: family).map { (Name($0.labels), Int($0.value)) }, uniquingKeysWith: +)
        }
        func connections(_ state: String) -> [Name: Int] {
            let those = page.values(of: .poolConnections).filter { $0.labels["state"] == state }
            return Dictionary(those.map { (Name($0.labels), Int($0.value)) }, uniquingKeysWith: +)
        }
        let (connecting, open, draining) = (connections("connecting"), connections("open"), connections("draining"))
        let (streams, limits) = (statistics(.poolStreams), statistics(.poolStreamsLimit))
        let (waiting, blocked) = (statistics(.poolWaiting), statistics(.poolWindowBlocked))
        return waiting.keys.compactMap { name in
            let status = PoolStatus(
                credential: name.credential.isEmpty ? nil : name.credential,
                host: name.host.isEmpty ? nil : name.host, output: name.output, environment: name.environment,
                connecting: connecting[name] ?? 0, open: open[name] ?? 0, draining: draining[name] ?? 0,
                streams: streams[name] ?? 0, streamsLimit: limits[name] ?? 0, waiting: waiting[name] ?? 0,
                windowBlocked: blocked[name] ?? 0)
            return status.isIdle ? nil : status
        }
    }

    /// The label of the credential or the name of the host, or `all` if the pool has neither.
    package var name: String { credential ?? host ?? "all" }

    private var isIdle: Bool { connecting + open + draining + waiting == 0 }

    /// Returns at most ``most`` pools, those with the most requests first. In these pools, ``credential`` is the label
    /// of the credential.
    package static func first(of facts: StatusFacts) -> [PoolStatus] {
        let names = facts.credentials.names
        return facts.pools.map { pool in
            var pool = pool
            pool.credential = pool.credential.map { names[$0] ?? $0 }
            return pool
        }
        .sorted { left, right in
            let (a, b) = (left.waiting + left.streams, right.waiting + right.streams)
            return a == b ? left.name < right.name : a > b
        }
        .prefix(most).map(\.self)
    }
}
