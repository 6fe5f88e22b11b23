/// How much work a worker holds ahead: what it gets done within seconds, by what it did lately, counted in recipients.
/// Whatever is more stays in the broker, where all workers take from. A value.
package struct HoldingRule {
    /// So many recipients of one app may always be in flight. With fewer, a pace could not be found out.
    package static let leastInFlight = 2_000
    private static let secondsInFlight = 2
    /// Jobs that are sent as fast as this are out of the others' way with less work than if they were published again.
    private static let movedInASecond = 4_000

    /// Of a lane, whose prefetch they share with all apps.
    let places: Int
    let bytes: Int
    /// Most recipients that are sent as one job.
    let chunkSize: Int

    package init(places: Int, bytes: Int, chunkSize: Int) {
        (self.places, self.bytes, self.chunkSize) = (places, bytes, chunkSize)
    }

    /// Recipients of one app that outputs may have at a time.
    package static func inFlight(_ pace: Pace.Count) -> Int { max(leastInFlight, secondsInFlight * pace.recipients) }

    /// What may wait of one app in a lane: what it gets done in half a second, and no more jobs than leave places for
    /// those that come behind.
    package func waiting(_ pace: Pace.Count) -> FairQueue.Size {
        .init(jobs: jobs(of: 8, pace), recipients: max(chunkSize, pace.recipients / 2), bytes: bytes / 4)
    }

    /// What may wait of an app that is paced: a quarter of the places, for what comes back comes in bursts.
    ///
    /// - Parameter room: recipients, by its pace.
    func waiting(room: Int) -> FairQueue.Size {
        .init(jobs: max(1, places / 4), recipients: room, bytes: bytes / 4)
    }

    /// What may wait of all apps together, whatever their number.
    package func waitingOfAll(_ pace: Pace.Count) -> FairQueue.Size {
        .init(jobs: jobs(of: 4, pace), recipients: max(Self.leastInFlight, pace.recipients), bytes: bytes / 2)
    }

    private func jobs(of fraction: Int, _ pace: Pace.Count) -> Int {
        pace.jobs < Self.movedInASecond ? places / fraction : max(places / fraction, pace.jobs / 2)
    }
}
