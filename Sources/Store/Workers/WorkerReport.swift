import Foundation
public import PushModel

/// What a worker says of itself in its row of `martlet.workers`. Written every two seconds, so it is small whatever the worker
/// has: a few hundred bytes, at most four thousand.
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

    /// A problem that is open at the worker, as the status page lists it.
    public struct ProblemReport: Sendable, Hashable, Codable {
        public let kind: String
        public let party: String
        /// `trouble` or `notice`.
        public let severity: String
        /// What it is about; empty: the worker.
        public let subject: String
        public let text: String
        /// When the worker found it, RFC 3339.
        public let since: String

        private static let longestSubject = 100

        public init(kind: String, party: String, severity: String, subject: String, text: String, since: Timestamp) {
            (self.kind, self.party, self.severity) = (kind, party, severity)
            self.subject = String(decoding: subject.utf8.prefix(Self.longestSubject), as: UTF8.self)
            self.text = String(decoding: text.utf8.prefix(WorkerReport.longestText), as: UTF8.self)
            self.since = since.rfc3339
        }

        fileprivate var believable: Self {
            Self(
                kind: WorkerReport.cut(kind), party: WorkerReport.cut(party), severity: WorkerReport.cut(severity),
                subject: subject, text: text, since: Timestamp(rfc3339: since) ?? Timestamp(seconds: 0))
        }

        /// For people: whose it is, and what.
        public var line: String { "\(party): \(text)" }
    }

    private static let longestText = 200
    /// The column takes 4,096 bytes. The first problems are written: they are in the order in which to look at them.
    private static let mostProblems = 8
    private static let mostProblemBytes = 1_600
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
    /// The first problems that are open at it, the first to look at first; nil: of a version that does not say.
    public var problems: [ProblemReport]?

    public init(
        host: String, pid: Int, state: State, obstacle: String? = nil, lanes: [LaneReport] = [], rate: Double = 0,
        minute: [String: Int] = [:], oldestJobSeconds: Int = 0,
        shards: Int? = nil, problems: [ProblemReport]? = nil
    ) {
        self.shards = shards
        self.problems = problems.map(Self.fitting)
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
        case host, pid, state, obstacle, lanes, rate, minute, shards, problems
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
        problems = problems.map { Self.fitting($0.map(\.believable)) }
        lanes = lanes.prefix(Self.mostLanes).map(\.believable)
        rate = rate.isFinite ? min(max(0, rate), Double(Self.largestNumber)) : 0
        minute = Dictionary(
            minute.sorted { $0.key < $1.key }.prefix(Self.mostKinds).map { (Self.cut($0), Self.believable($1)) },
            uniquingKeysWith: { first, _ in first })
        oldestJobSeconds = Self.believable(oldestJobSeconds)
        shards = shards.map(Self.believable)
    }

    private static func fitting(_ problems: [ProblemReport]) -> [ProblemReport] {
        var bytes = 0
        return Array(
            problems.prefix(mostProblems).prefix {
                bytes += (try? JSONEncoder().encode($0).count) ?? mostProblemBytes
                return bytes <= mostProblemBytes
            })
    }

    private static func believable(_ number: Int) -> Int { min(max(0, number), largestNumber) }

    private static func cut(_ text: String) -> String { String(text.prefix(longestText)) }
}
