import Addressing
import HTTP2Pool

/// The origins that an event loop sends to, found by an endpoint; mostly without taking the endpoint apart. On that event
/// loop.
///
/// Each entry of the list of hosts has so many origins at most, so that whoever makes up hosts below one of them takes no
/// place from the others. What has work, a connection or a brake stays, whoever else wants its place.
struct OriginTable {
    private struct Entry {
        /// What endpoints there begin with, as browsers write them: `https://host/`.
        let prefix: [UInt8]
        /// Of the list of hosts.
        let rule: Int
        let pool: OriginPool
    }

    struct Found {
        let pool: OriginPool
        /// Where in the endpoint path and query begin.
        let pathStart: Int
    }

    /// All that there may be are in use.
    struct Full: Error {}

    /// Compared with before an endpoint is taken apart.
    private static let recentOnes = 8
    private static let idleMilliseconds: Int64 = 60_000
    /// What a service has refused comes back within two minutes, and is to find its brake as it was.
    private static let brakeMilliseconds: Int64 = 180_000

    private let maximum: Int
    private let hosts: AllowedHosts
    private let make: (_ origin: Endpoint, _ rule: Int) throws -> OriginPool
    private var entries: [Endpoint: Entry] = [:]
    private var counts: [Int]
    /// The latest first.
    private var recent: [Entry] = []

    init(
        maximum: Int, hosts: AllowedHosts, make: @escaping (_ origin: Endpoint, _ rule: Int) throws -> OriginPool
    ) {
        self.maximum = maximum
        self.hosts = hosts
        self.make = make
        counts = Array(repeating: 0, count: hosts.entries)
    }

    var pools: [OriginPool] { entries.values.map(\.pool) }

    /// - Throws: ``WebPushFault`` where nothing may go there, ``Full``, or why no connection can be made ready.
    mutating func find(_ endpoint: UnsafeBufferPointer<UInt8>) throws -> Found {
        guard PushEndpoint.mayBeOne(endpoint) else { throw WebPushFault.badEndpoint }
        if let entry = recent.first(where: { endpoint.starts(with: $0.prefix) }) {
            return Found(pool: entry.pool, pathStart: entry.prefix.count - 1)
        }
        let parts = try PushEndpoint(endpoint)
        let entry = try entries[parts.origin] ?? add(parts.origin)
        recent = [entry] + recent.filter { $0.pool !== entry.pool }.prefix(Self.recentOnes - 1)
        return Found(pool: entry.pool, pathStart: parts.path.lowerBound)
    }

    private mutating func add(_ origin: Endpoint) throws -> Entry {
        guard let rule = hosts.entry(allowing: origin) else { throw WebPushFault.endpointNotAllowed }
        guard counts[rule] < maximum else { throw Full() }
        let entry = Entry(
            prefix: Array("https://\(origin.authority)/".utf8), rule: rule, pool: try make(origin, rule))
        entries[origin] = entry
        counts[rule] += 1
        return entry
    }

    /// Once a second: takes out what has had nothing to do for a minute, and, where there is no place left, at all.
    mutating func removeUnused(nowMilliseconds now: Int64) -> [OriginPool] {
        let unused = entries.values.filter { entry in
            counts[entry.rule] < maximum
                ? entry.pool.isUnused(for: Self.idleMilliseconds, orBraked: Self.brakeMilliseconds, at: now)
                : entry.pool.isUnused(for: 0, orBraked: 0, at: now)
        }
        for entry in unused {
            entries[entry.pool.origin] = nil
            counts[entry.rule] -= 1
            recent.removeAll { $0.pool === entry.pool }
        }
        return unused.map(\.pool)
    }
}
