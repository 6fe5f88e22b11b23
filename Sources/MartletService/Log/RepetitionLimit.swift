package import EventNames
import Logging
package import PushModel

/// Lets a line through once a minute for each event, app and reason, and counts the rest: after the minute the last of
/// them is told with their number, which is that minute's line. A value without a clock.
package struct RepetitionLimit {
    /// What makes two lines of an event be about the same.
    struct Subject: Hashable {
        let event: EventName
        let values: [String]

        /// Whom it is about. Ids of jobs are not among them.
        private static let keys = [
            "app", "credential", "service", "endpoint", "origin", "environment", "topic", "broker", "exchange",
        ]
        /// Lists of names from the worker's own topology. They are compared whole, because two lists may differ only
        /// at their ends.
        private static let lists = ["queues", "exchanges", "lost"]
        static let longest = 200

        init(_ event: EventName, _ metadata: Logger.Metadata) {
            self.event = event
            values =
                (Self.keys + [metadata["reason"] == nil ? "error" : "reason"]).map {
                    metadata[$0].map { String("\($0)".prefix(Self.longest)) } ?? ""
                } + Self.lists.map { metadata[$0].map { "\($0)" } ?? "" }
        }

        /// Of all that there is no room for.
        init(othersOf event: EventName) {
            self.event = event
            values = []
        }

        /// As a line says it.
        var metadata: Logger.Metadata {
            var metadata: Logger.Metadata = [:]
            for (key, value) in zip(Self.keys + ["reason"] + Self.lists, values) where !value.isEmpty {
                metadata[key] = "\(value)"
            }
            return metadata
        }
    }

    private struct Minute {
        let end: Int64
        var held = 0
        /// Of the first that was held.
        var level = Logger.Level.warning
        var message = ""
    }

    package static let milliseconds: Int64 = 60_000
    /// Names come from outside: beyond so many, an event's are counted together.
    package static let mostSubjects = 1_000

    private var minutes: [Subject: Minute] = [:]
    private var clearedAt = Int64.min

    package init() {}

    package var subjects: Int { minutes.count }

    /// - Returns: false: it is counted.
    package mutating func isDue(_ line: LogLine, of event: EventName, now: Int64) -> Bool {
        var subject = Subject(event, line.metadata)
        if minutes[subject] == nil, minutes.count >= Self.mostSubjects {
            clear(now)
            if minutes.count >= Self.mostSubjects { subject = Subject(othersOf: event) }
        }
        guard var minute = minutes[subject], minute.held > 0 || now < minute.end else {
            minutes[subject] = Minute(end: now + Self.milliseconds)
            return true
        }
        if minute.held == 0 {
            minute.level = line.level
            minute.message = String(line.message.prefix(Subject.longest))
        }
        minute.held += 1
        minutes[subject] = minute
        return false
    }

    /// When there may be something to tell; nil: nothing is held.
    package var nextDue: Int64? { minutes.values.lazy.filter { $0.held > 0 }.map(\.end).min() }

    /// What was held and is told now.
    ///
    /// - Parameter all: also of minutes that are not over.
    package mutating func takeDue(now: Int64, at: Timestamp, all: Bool = false) -> [LogLine] {
        var lines: [LogLine] = []
        for (subject, minute) in minutes where minute.held > 0 && (all || now >= minute.end) {
            minutes[subject] = Minute(end: now + Self.milliseconds)
            var metadata = subject.metadata
            metadata["repeated"] = .stringConvertible(minute.held)
            lines.append(
                LogLine(
                    at: at, level: minute.level, event: subject.event,
                    message: "\(minute.message) … \(minute.held) more like this", metadata: metadata))
        }
        return lines
    }

    /// Forgets those that may be told again anyway; not more often than is cheap.
    private mutating func clear(_ now: Int64) {
        guard clearedAt == .min || now - clearedAt >= 1_000 else { return }
        clearedAt = now
        minutes = minutes.filter { $1.held > 0 || now < $1.end }
    }
}
