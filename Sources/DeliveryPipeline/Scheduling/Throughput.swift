package import PushModel

/// The recent throughput of settled jobs. A value type without clock or I/O.
package struct Throughput {
    package struct Count: Equatable {
        package var jobs = 0
        package var recipients = 0

        package init(jobs: Int = 0, recipients: Int = 0) {
            (self.jobs, self.recipients) = (jobs, recipients)
        }
    }

    private var second: Int64 = 0
    private var count = Count()
    private var countBefore = Count()

    package init() {}

    /// Counts a settled job with a number of recipients.
    package mutating func settled(_ recipients: Int, at now: Timestamp) {
        if now.seconds != second {
            countBefore = now.seconds == second + 1 ? count : Count()
            (second, count) = (now.seconds, Count())
        }
        count.jobs += 1
        count.recipients += recipients
    }

    /// Returns the throughput per second, which is the higher of the counts of the current and the previous second.
    package func inASecond(now: Timestamp) -> Count {
        switch now.seconds - second {
        case 0:
            Count(
                jobs: max(count.jobs, countBefore.jobs), recipients: max(count.recipients, countBefore.recipients))
        case 1: count
        default: Count()
        }
    }
}
