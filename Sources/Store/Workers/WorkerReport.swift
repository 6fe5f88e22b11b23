import Foundation
public import PushModel

/// What a worker says of itself in its row of `martlet.workers`. Written every two seconds, so it is small whatever the worker
/// has: a few hundred bytes, at most two thousand.
public struct WorkerReport: Sendable, Hashable, Codable {
    public enum State: String, Sendable, Hashable, Codable {
        case starting
        case ready
        case hindered = "not_ready"
        case draining
    }

    public struct LaneReport: Sendable, Hashable, Codable {
        public var lane: String
        /// Jobs received and not started.
        public var waiting: Int
        /// Jobs started and not settled.
        public var open: Int
        /// Recipients settled in a second.
        public var rate: Int
        /// Of the oldest job that is here, in seconds.
        public var age: Int

        public init(lane: Lane, waiting: Int = 0, open: Int = 0, rate: Int = 0, age: Int = 0) {
            self.lane = lane.rawValue
            (self.waiting, self.open, self.rate, self.age) = (waiting, open, rate, age)
        }

        /// What another worker's row says may be anything.
        fileprivate var believable: Self {
            var lane = self
            lane.lane = WorkerReport.cut(self.lane)
            lane.waiting = WorkerReport.believable(waiting)
            lane.open = WorkerReport.believable(open)
            lane.rate = WorkerReport.believable(rate)
            lane.age = WorkerReport.believable(age)
            return lane
        }
    }

    private static let longestText = 200
    private static let mostLanes = 10
    private static let mostKinds = 20
    /// A thousand of them can be added up.
    private static let largestNumber = 1_000_000_000_000

    public var host: String
    public var pid: Int
    public var state: State
    /// Why it is not ready.
    public var obstacle: String?
    public var lanes: [LaneReport]
    /// Outcomes a second, over the last ten seconds.
    public var rate: Double
    /// What came of pushes and jobs in the last minute, by what that is called; what did not happen is not there.
    public var minute: [String: Int]
    /// How long the job has been here that has waited longest for its acknowledgement.
    public var oldestJobSeconds: Int
    /// Queues of each lane that it consumes; nil: of a version that knows of one.
    public var shards: Int?
    /// Providers out of its reach, and why; nil: there is none.
    public var unreachable: String?

    public init(
        host: String, pid: Int, state: State, obstacle: String? = nil, lanes: [LaneReport] = [], rate: Double = 0,
        minute: [String: Int] = [:], oldestJobSeconds: Int = 0,
        shards: Int? = nil, unreachable: String? = nil
    ) {
        self.shards = shards
        self.unreachable = unreachable.map { String(decoding: $0.utf8.prefix(Self.longestText), as: UTF8.self) }
        self.host = String(host.prefix(Self.longestText))
        self.pid = pid
        self.state = state
        self.obstacle = obstacle.map { String($0.prefix(Self.longestText)) }
        self.lanes = lanes
        self.rate = (rate * 10).rounded() / 10
        self.minute = minute.filter { $0.value != 0 }
        self.oldestJobSeconds = oldestJobSeconds
    }

    private enum CodingKeys: String, CodingKey {
        case host, pid, state, obstacle, lanes, rate, minute, shards, unreachable
        case oldestJobSeconds = "oldest_job_seconds"
    }

    /// As the column has it.
    func json() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }

    /// nil: of a version that says nothing, or something else.
    init?(json: String) {
        guard let report = try? JSONDecoder().decode(WorkerReport.self, from: Data(json.utf8)) else { return nil }
        self = report
        host = Self.cut(host)
        pid = Self.believable(pid)
        obstacle = obstacle.map(Self.cut)
        unreachable = unreachable.map(Self.cut)
        lanes = lanes.prefix(Self.mostLanes).map(\.believable)
        rate = rate.isFinite ? min(max(0, rate), Double(Self.largestNumber)) : 0
        minute = Dictionary(
            minute.sorted { $0.key < $1.key }.prefix(Self.mostKinds).map { (Self.cut($0), Self.believable($1)) },
            uniquingKeysWith: { first, _ in first })
        oldestJobSeconds = Self.believable(oldestJobSeconds)
        shards = shards.map(Self.believable)
    }

    private static func believable(_ number: Int) -> Int { min(max(0, number), largestNumber) }

    private static func cut(_ text: String) -> String { String(text.prefix(longestText)) }
}
