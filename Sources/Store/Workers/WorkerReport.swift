import Foundation
package import PushModel

/// The report of a worker in its row of `martlet.workers`. A worker writes it every two seconds, so its size is limited
/// to 4,096 bytes. Most reports have a few hundred bytes.
package struct WorkerReport: Sendable, Hashable, Codable {
    package enum State: String, Sendable, Hashable, Codable {
        case starting
        case ready
        case hindered = "not_ready"
        case draining
    }

    package struct LaneReport: Sendable, Hashable, Codable {
        package var lane: String
        /// The number of jobs received but not started.
        package var waiting: Int
        /// The number of jobs started but not settled.
        package var open: Int
        /// The number of recipients settled per second.
        package var rate: Int
        /// The time since the worker received the oldest unsettled job in the lane, in seconds.
        package var age: Int

        package init(lane: Lane, waiting: Int = 0, open: Int = 0, rate: Int = 0, age: Int = 0) {
            self.lane = lane.rawValue
            (self.waiting, self.open, self.rate, self.age) = (waiting, open, rate, age)
        }

        /// This report with bounded numbers and strings, because the row of another worker may contain anything.
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

    /// An open problem of the worker, as the status page lists it.
    package struct ProblemReport: Sendable, Hashable, Codable {
        package let kind: String
        package let party: String
        /// The severity, which is `trouble` or `notice`.
        package let severity: String
        /// The object of the problem, or an empty string if the problem concerns the whole worker.
        package let subject: String
        package let text: String
        /// The time when the worker found the problem, in RFC 3339 format.
        package let since: String

        private static let longestSubject = 100
        /// The maximum number of workers that are named as reporting a problem.
        private static let mostNames = 3

        package init(kind: String, party: String, severity: String, subject: String, text: String, since: Timestamp) {
            (self.kind, self.party, self.severity) = (kind, party, severity)
            self.subject = WorkerReport.shortened(subject, to: Self.longestSubject)
            self.text = WorkerReport.shortened(text)
            self.since = since.rfc3339
        }

        fileprivate var believable: Self {
            Self(
                kind: WorkerReport.cut(kind), party: WorkerReport.cut(party), severity: WorkerReport.cut(severity),
                subject: subject, text: text, since: Timestamp(rfc3339: since) ?? Timestamp(seconds: 0))
        }

        /// Returns the problem with a note about further problems that the row has no room for.
        fileprivate func followed(by others: Int) -> Self {
            let note = " (and \(others) more, see the worker's status page)"
            return Self(self, text: WorkerReport.shortened(text, to: WorkerReport.longestText - note.utf8.count) + note)
        }

        /// Returns the problem with a note that names the workers that report it. Numbers in the text come from the
        /// first of these workers.
        func reported(by workers: [String]) -> Self {
            let names = workers.prefix(Self.mostNames).joined(separator: ", ")
            let others = workers.count > Self.mostNames ? " and \(workers.count - Self.mostNames) more" : ""
            return Self(self, text: "\(text) (reported by \(names)\(others))")
        }

        private init(_ other: Self, text: String) {
            (kind, party, severity, subject) = (other.kind, other.party, other.severity, other.subject)
            (since, self.text) = (other.since, text)
        }

        /// The party and the text of the problem, as one line.
        package var line: String { "\(party): \(text)" }
    }

    private static let longestText = 200
    /// The maximum number of problems in a report. The report's column is limited to 4,096 bytes, so only the most
    /// important problems are written.
    private static let mostProblems = 8
    private static let mostProblemBytes = 1_600
    /// The maximum size of a report, in bytes. It is lower than the limit of the column, because PostgreSQL may format
    /// JSON differently from the encoder.
    private static let mostBytes = 4_000
    private static let mostLanes = 10
    private static let mostKinds = 20
    /// The largest accepted number. A thousand such numbers can be added up without an overflow.
    private static let largestNumber = 1_000_000_000_000

    package var host: String
    package var pid: Int
    package var state: State
    /// The reason why the worker is not ready, or `nil` if it is ready.
    package var obstacle: String?
    package var lanes: [LaneReport]
    /// The number of outcomes per second, over the last ten seconds.
    package var rate: Double
    /// The counts of outcomes, retries and similar events in the last minute, by name. Zero counts are left out.
    package var minute: [String: Int]
    /// The time since the worker received its oldest unsettled job, in seconds.
    package var oldestJobSeconds: Int
    /// The number of consecutive workers of the same name that ended without signing off before this worker replaced
    /// them. The value is `nil` if there were none or this worker has run for ten minutes.
    package var crashes: Int?
    /// The most important open problems, most important first, or `nil` if the worker's version reports none.
    package var problems: [ProblemReport]?
    /// The answers of providers in the last minute, or `nil` if the worker's version does not report them or they did
    /// not fit into the report. ``setAnswers(_:)`` sets them.
    package private(set) var answers: [AnswerReport]?
    /// The counts of the last hour in a compact form, or `nil` if the worker's version does not report them or they did
    /// not fit into the report. ``setHistory(_:)`` sets them.
    package private(set) var history: String?

    package init(
        host: String, pid: Int, state: State, obstacle: String? = nil, lanes: [LaneReport] = [], rate: Double = 0,
        minute: [String: Int] = [:], oldestJobSeconds: Int = 0,
        problems: [ProblemReport]? = nil
    ) {
        self.problems = problems.map(Self.fitting)
        self.host = Self.shortened(host)
        self.pid = pid
        self.state = state
        self.obstacle = obstacle.map { Self.shortened($0) }
        self.lanes = lanes
        self.rate = (rate * 10).rounded() / 10
        self.minute = minute.filter { $0.value != 0 }
        self.oldestJobSeconds = oldestJobSeconds
    }

    private enum CodingKeys: String, CodingKey {
        case host, pid, state, obstacle, lanes, rate, minute, crashes, problems, answers, history
        case oldestJobSeconds = "oldest_job_seconds"
    }

    /// Sets the answers. If there are too many reports, only the reports with the most answers are kept.
    package mutating func setAnswers(_ answers: [AnswerReport]) { self.answers = AnswerReport.fitting(answers) }

    /// Sets the history to the first of the given strings for which the row has room, or to `nil` if the row has room
    /// for none. Must be called last, because all other data takes precedence over the history.
    package mutating func setHistory(_ texts: some Sequence<String>) {
        history = nil
        guard let bytes = (try? encoded()).map(Self.storedBytes) else { return }
        // The room is the size limit minus the size of the report and of the history's key, quotation marks and
        // separators.
        let room = Self.mostBytes - bytes - #""history": "", "#.utf8.count
        history = texts.first { Self.storedBytes($0) <= room }
    }

    /// Returns the JSON text for the report's column. If the report is too large, the history is left out first and
    /// then the answers.
    func json() throws -> String {
        var (report, text) = (self, try encoded())
        if report.history != nil, Self.storedBytes(text) > Self.mostBytes {
            report.history = nil
            text = try report.encoded()
        }
        if report.answers != nil, Self.storedBytes(text) > Self.mostBytes {
            report.answers = nil
            text = try report.encoded()
        }
        return text
    }

    private func encoded() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }

    /// Returns the size of a JSON text in the database, in bytes. PostgreSQL adds a space after each comma and colon.
    private static func storedBytes(_ json: String) -> Int {
        json.utf8.reduce(0) { $0 + ($1 == UInt8(ascii: ",") || $1 == UInt8(ascii: ":") ? 2 : 1) }
    }

    /// Decodes a report. Returns `nil` if the worker's version does not write reports or the text has a different
    /// format.
    init?(json: String) {
        guard let report = try? JSONDecoder().decode(WorkerReport.self, from: Data(json.utf8)) else { return nil }
        self = report
        host = Self.cut(host)
        pid = Self.believable(pid)
        obstacle = obstacle.map(Self.cut)
        problems = problems.map { Self.fitting($0.map(\.believable)) }
        answers = answers.map { AnswerReport.fitting($0.map(\.believable)) }
        history = history.flatMap { $0.utf8.count <= Self.mostBytes ? $0 : nil }
        lanes = lanes.prefix(Self.mostLanes).map(\.believable)
        rate = rate.isFinite ? min(max(0, rate), Double(Self.largestNumber)) : 0
        minute = Dictionary(
            minute.sorted { $0.key < $1.key }.prefix(Self.mostKinds).map { (Self.cut($0), Self.believable($1)) },
            uniquingKeysWith: { first, _ in first })
        oldestJobSeconds = Self.believable(oldestJobSeconds)
        crashes = crashes.map(Self.believable)
    }

    private static func fitting(_ problems: [ProblemReport]) -> [ProblemReport] {
        var bytes = 0
        var kept = Array(
            problems.prefix(mostProblems).prefix {
                bytes += (try? JSONEncoder().encode($0).count) ?? mostProblemBytes
                return bytes <= mostProblemBytes
            })
        if let last = kept.last, kept.count < problems.count {
            kept[kept.count - 1] = last.followed(by: problems.count - kept.count)
        }
        return kept
    }

    static func believable(_ number: Int) -> Int { min(max(0, number), largestNumber) }

    static func cut(_ text: String) -> String { String(text.prefix(longestText)) }

    /// Returns the text, or its beginning with an ellipsis if it has more bytes than allowed.
    private static func shortened(_ text: String, to bytes: Int = longestText) -> String {
        guard text.utf8.count > bytes else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: bytes - "…".utf8.count)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return text[..<end] + "…"
    }
}
