/// The limits on the work that a worker holds in advance, in recipients. They follow its recent throughput, so that the
/// worker holds a few seconds' work. The rest stays in the broker for all workers. A value type.
package struct HoldingRule {
    /// The number of recipients that one app may always have in flight. With fewer, its throughput could not be
    /// measured.
    package static let leastInFlight = 2_000
    private static let secondsInFlight = 2
    /// The throughput, in jobs per second, from which the limit on waiting jobs grows with the throughput. Sending such
    /// jobs takes less work than publishing them again.
    private static let movedInASecond = 4_000

    /// The prefetch of the lane, which all of its apps share.
    let places: Int
    let bytes: Int
    /// The maximum number of recipients that are sent as one job.
    let chunkSize: Int

    package init(places: Int, bytes: Int, chunkSize: Int) {
        (self.places, self.bytes, self.chunkSize) = (places, bytes, chunkSize)
    }

    /// Returns the number of recipients of one app that outputs may have at a time.
    package static func inFlight(_ pace: Pace.Count) -> Int { max(leastInFlight, secondsInFlight * pace.recipients) }

    /// Returns the limit on the waiting jobs of one app in a lane. It is half a second's work, and only a fraction of
    /// the places, so that other apps' jobs can follow.
    package func waiting(_ pace: Pace.Count) -> FairQueue.Size {
        .init(jobs: jobs(of: 8, pace), recipients: max(chunkSize, pace.recipients / 2), bytes: bytes / 4)
    }

    /// Returns the limit on the waiting jobs of a rate-limited app. It is a quarter of the places, because jobs return
    /// from the delay queues in bursts.
    ///
    /// - Parameter room: the number of recipients that may wait under the app's rate limit.
    func waiting(room: Int) -> FairQueue.Size {
        .init(jobs: max(1, places / 4), recipients: room, bytes: bytes / 4)
    }

    /// Returns the limit on the waiting jobs of all apps together.
    package func waitingOfAll(_ pace: Pace.Count) -> FairQueue.Size {
        .init(jobs: jobs(of: 4, pace), recipients: max(Self.leastInFlight, pace.recipients), bytes: bytes / 2)
    }

    private func jobs(of fraction: Int, _ pace: Pace.Count) -> Int {
        pace.jobs < Self.movedInASecond ? places / fraction : max(places / fraction, pace.jobs / 2)
    }
}
