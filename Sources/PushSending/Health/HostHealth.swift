import PushModel

/// The health of a host: whether it accepts connections and answers requests. While it is unreachable or silent, only
/// single probes are sent. A value type without clock or I/O.
package struct HostHealth {
    private var breaker = Breaker(shortestMilliseconds: 5_000, longestMilliseconds: 60_000)
    private var silence = HostSilence()
    /// The uptime at which the measured silence began, in milliseconds: the last answer, or the start of the wait.
    private var lastProgress: Int64 = 0
    private let silenceMilliseconds: Int64
    private let random: () -> Double

    /// - Parameters:
    ///   - silenceMilliseconds: The time after which the host counts as silent if pushes wait and no answer arrives.
    ///   - random: A function that returns numbers from 0 up to, but not including, 1. They vary the waits.
    package init(silenceMilliseconds: Int64, random: @escaping () -> Double = { .random(in: 0..<1) }) {
        self.silenceMilliseconds = silenceMilliseconds
        self.random = random
    }

    package var isClosed: Bool { breaker.isClosed }

    package func admission(uptime now: Int64) -> Breaker.Admission { breaker.admission(nowMilliseconds: now) }

    /// Returns whether requests must wait now.
    package func holds(uptime now: Int64) -> Bool { breaker.holds(nowMilliseconds: now) }

    package mutating func admit(uptime now: Int64) -> Breaker.Admission { breaker.admit(nowMilliseconds: now) }

    package mutating func probeEnded() { breaker.probeWasNone() }

    /// Returns the reason why a job's pushes cannot wait in this process for the host, or `nil` if they can.
    package func obstacle(to job: QueuedJob, now: Moment) -> SendObstacle? {
        admission(uptime: now.uptime) == .hold ? SendObstacle(breaker, holding: job) : nil
    }

    /// Records an answer.
    ///
    /// - Returns: Whether the host was silent or unreachable before.
    package mutating func answered(now: Moment) -> Bool {
        lastProgress = now.uptime
        silence.answered(nowMilliseconds: now.uptime)
        return breaker.succeeded()
    }

    /// Restarts the measurement of silence, because pushes begin to wait, or because they wait for something other than
    /// this host.
    package mutating func waits(now: Moment) { lastProgress = now.uptime }

    /// Records that no connection could be made and that no other connection exists.
    package mutating func connectFailed(now: Moment) { _ = open(Outcome.connectionFailed, now: now) }

    /// Records that a request got no answer in time. If the host is found to be silent, its breaker opens, for longer
    /// each time.
    ///
    /// - Parameter writtenAt: The uptime at which the request was written, in milliseconds.
    /// - Returns: Whether the host has just become silent.
    package mutating func timedOut(_ push: PushIdentity, writtenAt: Int64, now: Moment) -> Bool {
        silence.timedOut(push, writtenAt: writtenAt, isKnownSilent: breaker.isRefused)
            && open(Outcome.noAnswer, now: now)
    }

    /// Opens the breaker if the host has not answered for too long while pushes waited. Called once a second.
    ///
    /// - Parameter admission: The admission of the pool's pushes. The silence is measured only while pushes, or one
    ///   push as a probe, may be sent.
    /// - Returns: Whether the host has just become silent.
    package mutating func look(_ admission: Breaker.Admission, now: Moment) -> Bool {
        guard admission == .pass || admission == .probe else {
            waits(now: now)
            return false
        }
        let patience = isClosed ? silenceMilliseconds : Breaker.patienceMilliseconds
        guard now.uptime - lastProgress >= patience else { return false }
        return open(breaker.reason ?? Outcome.noAnswer, now: now)
    }

    private mutating func open(_ reason: String, now: Moment) -> Bool {
        breaker.refused(reason, nowMilliseconds: now.uptime, random: random())
    }
}
