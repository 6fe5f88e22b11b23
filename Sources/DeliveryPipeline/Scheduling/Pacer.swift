package import PushModel

/// How fast this worker may send what a fleet is to send at some rate: an app's pushes, or one job's. A value; time goes in.
///
/// | a job that is paced | then |
/// |---|---|
/// | comes, and less than ``waitSeconds`` of work wait before it | waits here until something may be sent |
/// | comes, and more does | gets a slot behind all that have got one, and waits in the broker until then |
/// | comes back before its slot | waits for the rest in the broker; goes at once where nothing is before it |
/// | comes back at its slot | as if it had come now: who was given a slot has kept his place |
/// | comes back after another rate was set | as if it had come now |
/// | comes back before its slot, and is cancelled or too late | gives its place back |
///
/// What is sent is paid for: a job that is larger than what may be sent leaves a debt, which is waited for. Slots are given
/// closer than the rate, so that there is always something to send; what comes too early gets another.
package struct Pacer {
    /// When a job's turn is, and by which rate that was worked out.
    package struct Slot: Sendable, Hashable {
        package let due: Timestamp
        package let rate: Int

        package init(due: Timestamp, rate: Int) {
            (self.due, self.rate) = (due, rate)
        }

        /// For what waits for room and not for a turn: as long again as it has waited, in seconds.
        init(waitingLonger waited: Int, rate: Int, now: Timestamp) {
            let seconds = min(Pacer.longestDelay, max(Pacer.shortestWait, waited))
            self.init(due: Timestamp(milliseconds: now.milliseconds + Int64(seconds) * 1_000), rate: rate)
        }

        /// Seconds to wait in the broker before it is looked at again, rather too short; at least a second.
        package func delay(now: Timestamp) -> Int {
            let left = due.milliseconds - now.milliseconds
            let look = now.milliseconds + min(left, max(Int64(Pacer.longestDelay) * 1_000, left / 2))
            return ScheduleLadder.next(until: Timestamp(milliseconds: look), now: now) ?? 1
        }

        /// It is not due, nor about to be.
        package func isAhead(now: Timestamp) -> Bool { due.milliseconds - now.milliseconds > Pacer.earlyMilliseconds }
    }

    /// As long as it is not known how many workers there are.
    static let unknownPart = 0.1
    /// Work that may wait in a worker, in seconds.
    package static let waitSeconds = 4.0
    /// So early a job may come back, in milliseconds: half of that.
    static let earlyMilliseconds: Int64 = 2_000
    /// How often is looked whether more may be sent.
    static let beatMilliseconds = 20
    /// Whoever changes a rate is obeyed by all that waits within this time, in seconds, or half of what it has to wait.
    static let longestDelay = 120
    /// For room, in seconds.
    private static let shortestWait = 5
    /// Slots are so much closer than the rate: the lines of half the workers are enough for all of it. They are seldom of one
    /// length, since who splits a job gets fewer of its parts.
    private static let eagerness = 2.0
    /// Chunks are made for a fraction of a second, but no smaller than this.
    private static let chunksInASecond = 4.0
    private static let smallestChunk = 20

    /// Pushes a second of the whole fleet.
    package private(set) var rate: Int
    /// How many seconds' worth may be sent at once, after a time without work.
    private let burstSeconds: Double
    /// Pushes a second of this worker.
    private var share = 0.0
    /// What may be sent; below zero: what was sent beyond it.
    package private(set) var credit = 1.0
    /// How long those take that have slots to come, in seconds: the line in the broker, whose length is the same for all workers.
    private var planned = 0.0
    private var passedAt: Timestamp?

    package init(rate: Int, burstSeconds: Double = 1) {
        (self.rate, self.burstSeconds) = (rate, burstSeconds)
    }

    /// A clock that is set back adds nothing.
    /// - Parameter workers: nil: not known.
    package mutating func pass(to now: Timestamp, workers: Int?) {
        share = Double(rate) * (workers.map { 1 / Double(max(1, $0)) } ?? Self.unknownPart)
        let seconds = Double(max(0, now.milliseconds - (passedAt ?? now).milliseconds)) / 1_000
        passedAt = now
        credit = min(max(1, share * burstSeconds), credit + share * seconds)
        planned = max(0, planned - seconds)
    }

    /// Another rate from now on. What was sent beyond the old one is owed, push for push; the line begins anew, as whoever
    /// comes back with a slot of another rate gets a new one.
    package mutating func change(to rate: Int) {
        self.rate = rate
        planned = 0
    }

    package var maySend: Bool { credit > 0 }

    /// Nothing would be lost if it were forgotten.
    package var isAtRest: Bool { credit > 0 && planned == 0 }

    package mutating func spend(_ recipients: Int) { credit -= Double(recipients) }

    /// They were paid for, and are not sent.
    package mutating func refund(_ recipients: Int) { credit += Double(recipients) }

    /// Recipients that may wait here; none while a debt takes longer.
    package var room: Int { Int(credit + share * Self.waitSeconds) }

    /// How large a chunk may be, so that the fleet shares a job evenly, and in time.
    package var chunkSize: Int { max(Self.smallestChunk, Int(share / Self.chunksInASecond)) }

    /// - Parameters:
    ///   - queued: recipients that wait here, of which no more than there is ``room`` for stay before it.
    ///   - expiration: what would have its turn later comes back to expire then, and takes no place.
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

    /// These had a slot that is still to come, and need it no more.
    package mutating func giveBack(_ recipients: Int) { planned = max(0, planned - length(of: recipients)) }

    /// What they take of the line, in seconds.
    private func length(of recipients: Int) -> Double { Double(recipients) / (share * Self.eagerness) }
}
