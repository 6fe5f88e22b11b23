import ArgumentParser
import PushModel

/// The value of `--since`, which is a time or a duration before now.
enum AuditSince: ExpressibleByArgument, Equatable {
    case time(Timestamp)
    case ago(seconds: Int64)

    init?(argument: String) {
        if let match = argument.wholeMatch(of: /([0-9]{1,6})([smhd])/), let count = Int64(match.1) {
            let units: [Substring: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
            self = .ago(seconds: count * (units[match.2] ?? 1))
        } else if let time = Timestamp(rfc3339: argument) {
            self = .time(time)
        } else {
            return nil
        }
    }

    func time(before now: Timestamp) -> Timestamp {
        switch self {
        case .time(let time): time
        case .ago(let seconds): Timestamp(milliseconds: now.milliseconds - seconds * 1000)
        }
    }
}
