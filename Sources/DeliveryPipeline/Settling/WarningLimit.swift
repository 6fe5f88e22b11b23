import PushModel

/// One line of the log a minute for each subject. A value.
struct WarningLimit {
    private var last: [String: Timestamp] = [:]

    mutating func isDue(_ subject: String, now: Timestamp) -> Bool {
        if let last = last[subject], now.seconds - last.seconds < 60 { return false }
        last[subject] = now
        return true
    }
}
