import Foundations
import HTTP2Pool

/// The origins to which an event loop sends. Most endpoints are matched with their origin without being parsed. Used
/// only on that event loop.
///
/// The number of origins is limited for each entry of the list of allowed hosts. An attacker who invents hosts below
/// one entry therefore takes no places from other entries. An origin keeps its place while it has work or a connection
/// or while a breaker or a pause holds its messages back, even if another origin needs a place.
struct OriginTable {
    private struct Entry {
        /// The beginning of the origin's endpoints as browsers write them: `https://host/`.
        let prefix: [UInt8]
        /// The index of the entry in the list of allowed hosts.
        let rule: Int
        let pool: OriginPool
    }

    /// An error that is thrown if all places of an entry are in use.
    struct Full: Error {}

    /// The number of recently used origins with which an endpoint is compared before it is parsed.
    private static let recentOnes = 8
    private static let idleMilliseconds: Int64 = 60_000
    /// The time for which an unused origin is kept after a breaker or a pause last held its messages back, in
    /// milliseconds. Held messages return within 15 minutes, and the origin's state must still exist then.
    private static let brakeMilliseconds: Int64 = 960_000

    private let maximum: Int
    private let hosts: AllowedHosts
    private let make: (_ origin: Endpoint, _ rule: Int) throws -> OriginPool
    private var entries: [Endpoint: Entry] = [:]
    private var counts: [Int]
    /// The most recently used origins. The latest one is first.
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

    /// Returns the pool of an endpoint's origin, and adds it if it is new.
    ///
    /// - Throws: ``WebPushFault`` if the endpoint is invalid or not allowed, ``Full``, or the reason why a new origin's
    ///   connections cannot be prepared.
    mutating func find(_ endpoint: UnsafeBufferPointer<UInt8>) throws -> OriginPool {
        guard PushEndpoint.mayBeOne(endpoint) else { throw WebPushFault.badEndpoint }
        if let entry = recent.first(where: { endpoint.starts(with: $0.prefix) }) {
            return entry.pool
        }
        let origin = try PushEndpoint(endpoint).origin
        let entry = try entries[origin] ?? add(origin)
        recent = [entry] + recent.filter { $0.pool !== entry.pool }.prefix(Self.recentOnes - 1)
        return entry.pool
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

    /// Removes and returns the origins that have been idle for a minute and have held nothing back for 16 minutes. If
    /// all places of an entry are in use, its idle origins that hold nothing back are removed at once. Called once a
    /// second.
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
