package import PushModel

/// How much was sent and settled lately. A value.
package struct Pace {
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

    /// A job of so many recipients was.
    package mutating func settled(_ recipients: Int, at now: Timestamp) {
        if now.seconds != second {
            countBefore = now.seconds == second + 1 ? count : Count()
            (second, count) = (now.seconds, Count())
        }
        count.jobs += 1
        count.recipients += recipients
    }

    /// Going by this second or the one before, whichever had more.
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
