import Contract
package import PushModel

/// A rate limiter for this worker's share of a fleet-wide rate, which applies to an app or to one job. A value type
/// without clock or I/O.
///
/// | rate-limited job | action |
/// |---|---|
/// | arrives with less than ``waitSeconds`` of work before it | it waits in the worker until it may be sent |
/// | arrives with more work before it, and its app has a waiting queue | it waits there |
/// | arrives with more work before it, without a waiting queue | it gets a slot after all earlier slots |
/// | returns before its slot | it waits for the remaining time in the broker |
/// | returns at its slot, or after the rate was changed | handled like a new job |
///
/// A job is charged before it is sent. A job that is larger than the available credit leaves a debt, and later jobs
/// wait until the debt is paid. Slots are denser than the rate, so that there is always a job to send. A job that
/// returns at its slot and must still wait gets another slot.
package struct RateLimiter {
    /// The time at which a job may be sent, and the rate from which the time was computed.
    package struct Slot: Sendable, Hashable {
        package let due: Timestamp
        package let rate: Int

        package init(due: Timestamp, rate: Int) {
            (self.due, self.rate) = (due, rate)
        }

        /// Creates the slot of a job for which no limiter reserves time. The job must wait for as long as it has
        /// already waited, but at least 5 and at most 120 seconds.
        ///
        /// - Parameter waited: the time that the job has waited so far, in seconds.
        init(waitingLonger waited: Int, rate: Int, now: Timestamp) {
            let seconds = min(RateLimiter.longestDelay, max(RateLimiter.shortestWait, waited))
            self.init(due: Timestamp(milliseconds: now.milliseconds + Int64(seconds) * 1_000), rate: rate)
        }

        /// Returns whether the slot is in the future by more than ``earlyMilliseconds``.
        func isAhead(now: Timestamp) -> Bool {
            due.milliseconds - now.milliseconds > RateLimiter.earlyMilliseconds
        }

        /// Returns the delay in the broker until the job is checked again, in seconds. It is at least one second, and
        /// otherwise never longer than the time until the slot.
        package func delay(now: Timestamp) -> Int {
            let left = due.milliseconds - now.milliseconds
            let look = now.milliseconds + min(left, max(Int64(RateLimiter.longestDelay) * 1_000, left / 2))
            return ScheduleDelays.next(until: Timestamp(milliseconds: look), now: now) ?? 1
        }
    }

    /// The share of the rate that a worker uses while the number of workers is unknown.
    static let unknownPart = 0.1
    /// The maximum amount of work that waits in a worker, in seconds.
    package static let waitSeconds = 4.0
    /// The maximum time by which a job may return before its slot without waiting in the broker again, in milliseconds.
    /// The time is half of ``waitSeconds``.
    static let earlyMilliseconds: Int64 = 2_000
    /// The interval at which waiting jobs are checked again, in milliseconds.
    static let beatMilliseconds = 20
    /// The maximum delay until a job in the broker is checked again, in seconds. If half of the job's remaining wait is
    /// longer, that half is the maximum. A changed rate applies to a job when it is checked.
    static let longestDelay = 120
    /// The shortest wait of a job for which no limiter reserves time, in seconds.
    private static let shortestWait = 5
    /// The factor by which slots are denser than the rate. Jobs return to any worker, so the slots that half of the
    /// workers assign suffice to use the whole rate. Workers usually assign different numbers of slots, because a
    /// worker that splits a job receives fewer of its parts.
    private static let eagerness = 2.0
    /// The number of chunks that make up one second of this worker's work. A chunk has at least `smallestChunk`
    /// recipients.
    private static let chunksInASecond = 4.0
    private static let smallestChunk = 20

    /// The rate of the whole fleet, in pushes per second.
    package private(set) var rate: Int
    /// The burst that is allowed after an idle time, in seconds of this worker's rate.
    private let burstSeconds: Double
    /// The rate of this worker, in pushes per second.
    private var share = 0.0
    /// The number of pushes that may be sent now. A negative number is a debt.
    package private(set) var credit = 1.0
    /// The total length of the future slots, in seconds. Their jobs wait in the broker.
    private var planned = 0.0
    private var passedAt: Timestamp?

    package init(rate: Int, burstSeconds: Double = 1) {
        (self.rate, self.burstSeconds) = (rate, burstSeconds)
    }

    /// Advances the time and adds the credit earned since the last call. If the clock was set back, no credit is added.
    ///
    /// - Parameter workers: the number of running workers, or `nil` if it is unknown.
    package mutating func pass(to now: Timestamp, workers: Int?) {
        share = Double(rate) * (workers.map { 1 / Double(max(1, $0)) } ?? Self.unknownPart)
        let seconds = Double(max(0, now.milliseconds - (passedAt ?? now).milliseconds)) / 1_000
        passedAt = now
        credit = min(max(1, share * burstSeconds), credit + share * seconds)
        planned = max(0, planned - seconds)
    }

    /// Changes the rate. A debt remains as a number of pushes. Existing slots are dropped, because a job that returns
    /// with a slot of another rate gets a new slot.
    package mutating func change(to rate: Int) {
        self.rate = rate
        planned = 0
    }

    package var maySend: Bool { credit > 0 }

    /// Whether the limiter has no debt and no future slots, so that it can be discarded without loss.
    package var isAtRest: Bool { credit > 0 && planned == 0 }

    package mutating func spend(_ recipients: Int) { credit -= Double(recipients) }

    /// Refunds recipients that were charged but not sent.
    package mutating func refund(_ recipients: Int) { credit += Double(recipients) }

    /// The number of recipients that may wait in the worker. It is negative if paying a debt takes longer than
    /// ``waitSeconds``.
    package var room: Int { Int(credit + share * Self.waitSeconds) }

    /// The maximum number of recipients in a chunk. It is small, so that all workers can share a large job.
    package var chunkSize: Int { max(Self.smallestChunk, Int(share / Self.chunksInASecond)) }

    /// Returns a slot for recipients that must wait in the broker.
    ///
    /// - Parameters:
    ///   - queued: the number of recipients that wait in the worker. At most ``room`` of them are before the slot.
    ///   - expiration: the deadline of the job. If the slot would be later, the job returns just after the deadline to
    ///     expire, and reserves no time.
    package mutating func slot(
        for recipients: Int, behind queued: Int, until expiration: Job.Expiration? = nil, now: Timestamp
    ) -> Slot {
        let debt = max(0, -credit) / share
        let wait = max(debt, min(Self.waitSeconds, (Double(queued) - credit) / share))
        let due = Timestamp(milliseconds: now.milliseconds + Int64((wait + planned) * 1_000))
        if case .at(let deadline)? = expiration, deadline < due {
            return Slot(due: Timestamp(milliseconds: deadline.milliseconds + 1), rate: rate)
        }
        planned += length(of: recipients)
        return Slot(due: due, rate: rate)
    }

    /// Releases the future slot of recipients that no longer need it.
    package mutating func releaseSlot(of recipients: Int) { planned = max(0, planned - length(of: recipients)) }

    /// Returns the time between the slot of a number of recipients and the next slot, in seconds.
    private func length(of recipients: Int) -> Double { Double(recipients) / (share * Self.eagerness) }
}
