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
    }

    private static let longestText = 200

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

    public init(
        host: String, pid: Int, state: State, obstacle: String? = nil, lanes: [LaneReport] = [], rate: Double = 0,
        minute: [String: Int] = [:], oldestJobSeconds: Int = 0
    ) {
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
        case host, pid, state, obstacle, lanes, rate, minute
        case oldestJobSeconds = "oldest_job_seconds"
    }

    /// As the column has it.
    func json() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }

    /// nil: of a version that says nothing, or something else.
    init?(json: String) {
        guard let report = try? JSONDecoder().decode(WorkerReport.self, from: Data(json.utf8)) else { return nil }
        self = report
    }
}
