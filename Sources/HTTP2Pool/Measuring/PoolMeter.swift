import HTTP2Session
import Metering
import NIOCore

/// The metric cells of a pool. All pools of an event loop with the same labels share the cells. A pool therefore adds
/// its figures and subtracts them again, and never sets a value.
final class PoolMeter {
    static let statuses = ["200", "400", "403", "404", "405", "410", "413", "429", "5xx", other]
    static let results = ["ok", "failed"]
    static let codes = (UInt32(0)...0xd).map { "\(HTTP2ErrorCode(rawValue: $0))" }
    static let other = "other"

    private let connecting, open, draining, connectionsLimit, streams, streamsLimit, waiting: MetricCell
    private let unreachable, windowBlocked, connected, connectFailed: MetricCell
    private let answers: [MetricHistogram]
    private let accepted, refused, failed, slow: MetricCell
    private let goAways: [MetricCell]
    private let pings: MetricHistogram
    private static let slowMilliseconds: Int64 = 2_000
    private let limit: Int
    /// The figures of this pool that the cells already include.
    private var counted = PoolStatistics()
    private var countedLimit = 0
    private var reachability = Reachability()
    private var countedUnreachable = 0

    init(_ labels: PoolLabels, _ configuration: PoolConfiguration, eventLoop: any EventLoop) {
        limit = configuration.maximumConnections
        let (registry, output) = (labels.registry, labels.output)
        let pool = [output, labels.credential, labels.environment, labels.host]
        func cell(_ family: MetricFamily, _ labels: [String]) -> MetricCell {
            registry.cell(family, labels, of: eventLoop)
        }
        connecting = cell(.poolConnections, pool + ["connecting"])
        open = cell(.poolConnections, pool + ["open"])
        draining = cell(.poolConnections, pool + ["draining"])
        connectionsLimit = cell(.poolConnectionsLimit, pool)
        unreachable = cell(.poolUnreachable, pool)
        streams = cell(.poolStreams, pool)
        streamsLimit = cell(.poolStreamsLimit, pool)
        waiting = cell(.poolWaiting, pool)
        windowBlocked = cell(.poolWindowBlocked, pool)
        connected = cell(.connects, [output, Self.results[0]])
        connectFailed = cell(.connects, [output, Self.results[1]])
        answers = Self.statuses.map {
            registry.histogram(.answers, [output, labels.environment, $0], of: eventLoop)
        }
        accepted = cell(.poolAnswers, pool + ["accepted"])
        refused = cell(.poolAnswers, pool + ["refused"])
        failed = cell(.poolAnswers, pool + ["failed"])
        slow = cell(.poolSlowAnswers, pool)
        goAways = (Self.codes + [Self.other]).map { cell(.goAways, [output, $0]) }
        pings = registry.histogram(.pings, [output], of: eventLoop)
    }

    /// Updates the gauges. Called once a second, and when the pool ends.
    func holds(_ statistics: PoolStatistics, isLast: Bool) {
        connectionsLimit.add((isLast ? 0 : limit) - countedLimit)
        countedLimit = isLast ? 0 : limit
        // An open connection shows that the server is reachable, even if an attempt to open another connection has
        // failed.
        if statistics.open > 0 { reachability.connected() }
        let unreachables = !isLast && reachability.isUnreachable(nowMilliseconds: Uptime.milliseconds()) ? 1 : 0
        unreachable.add(unreachables - countedUnreachable)
        countedUnreachable = unreachables
        guard statistics != counted else { return }
        connecting.add(statistics.connecting - counted.connecting)
        open.add(statistics.open - counted.open)
        draining.add(statistics.draining - counted.draining)
        streams.add(statistics.streams - counted.streams)
        streamsLimit.add(statistics.streamsLimit - counted.streamsLimit)
        waiting.add(statistics.waiting - counted.waiting)
        counted = statistics
    }

    /// Counts a connection whose full flow-control window keeps requests waiting.
    func filled(_ room: Room, waiting: Int) {
        if waiting > 0, room.isBlockedByWindow { windowBlocked.add() }
    }

    func hasConnected() {
        connected.add()
        reachability.connected()
    }

    func couldNotConnect() {
        connectFailed.add()
        reachability.failed(nowMilliseconds: Uptime.milliseconds())
    }

    func pinged(milliseconds: Double) { pings.observe(Int(milliseconds)) }

    func answered(_ status: Int, after milliseconds: Int64) {
        answers[Self.place(of: status)].observe(Int(milliseconds))
        switch status {
        case 200...299: accepted.add()
        case 429, 500...599: failed.add()
        default: refused.add()
        }
        if milliseconds > Self.slowMilliseconds { slow.add() }
    }

    func goneAway(_ code: HTTP2ErrorCode) {
        goAways[min(Int(code.rawValue), Self.codes.count)].add()
    }

    /// Returns the index of a status in ``statuses``.
    private static func place(of status: Int) -> Int {
        switch status {
        case 200...299: 0
        case 400: 1
        case 403: 2
        case 404: 3
        case 405: 4
        case 410: 5
        case 413: 6
        case 429: 7
        case 500...599: 8
        default: 9
        }
    }
}
