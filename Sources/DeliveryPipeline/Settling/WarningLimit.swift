package import PushModel

/// One line of the log a minute for each subject. A value.
package struct WarningLimit {
    private static let seconds: Int64 = 60

    private var last: [String: Timestamp] = [:]
    /// With so many, those are forgotten that may be written again anyway.
    private var most = 64

    package var subjects: Int { last.count }

    package init() {}

    package mutating func isDue(_ subject: String, now: Timestamp) -> Bool {
        if let last = last[subject], now.seconds - last.seconds < Self.seconds { return false }
        if last.count >= most {
            last = last.filter { now.seconds - $1.seconds < Self.seconds }
            most = max(64, last.count * 2)
        }
        last[subject] = now
        return true
    }
}
