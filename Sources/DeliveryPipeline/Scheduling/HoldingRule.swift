/// The limits on the work that a worker holds in advance. They follow the worker's recent throughput, so that it holds
/// a few seconds of work. All other work stays in the broker, available to every worker. A value type without clock or
/// I/O.
package struct HoldingRule {
    /// The lowest result of ``inFlight(_:)``. With a lower limit, the app's throughput could not be measured.
    package static let leastInFlight = 2_000
    private static let secondsInFlight = 2
    /// The throughput, in jobs per second, at or above which moving a job to another queue costs more than sending it.
    /// The limit on waiting jobs then grows with the throughput.
    private static let movedInASecond = 4_000

    /// The prefetch of the lane, which all of its apps share.
    let places: Int
    /// The limit on the bytes of the jobs that a consuming connection holds.
    let bytes: Int
    /// The maximum number of recipients that are sent as one job.
    let chunkSize: Int

    package init(places: Int, bytes: Int, chunkSize: Int) {
        (self.places, self.bytes, self.chunkSize) = (places, bytes, chunkSize)
    }

    /// Returns the number of recipients in flight at which an app starts no further job from a queue.
    ///
    /// - Parameter throughput: the app's throughput in the queue.
    package static func inFlight(_ throughput: Throughput.Count) -> Int {
        max(leastInFlight, secondsInFlight * throughput.recipients)
    }

    /// Returns the limit on the waiting jobs of one app in a lane. It is about half a second of work and normally an
    /// eighth of the places, which leaves room for the jobs of other apps.
    package func waiting(_ throughput: Throughput.Count) -> FairQueue.Size {
        .init(jobs: jobs(of: 8, throughput), recipients: max(chunkSize, throughput.recipients / 2), bytes: bytes / 4)
    }

    /// Returns the limit on the waiting jobs of a rate-limited app. It is a quarter of the places, because jobs return
    /// from the delay queues in bursts.
    ///
    /// - Parameter room: the number of recipients that may wait under the app's rate limit.
    func waiting(room: Int) -> FairQueue.Size {
        .init(jobs: max(1, places / 4), recipients: room, bytes: bytes / 4)
    }

    /// Returns the limit on the waiting jobs of all apps together. While moving a job costs less than sending it, a
    /// quarter of the places that open jobs do not use stays free, so that the jobs of other apps can arrive.
    ///
    /// - Parameter open: the number of jobs that were started and not yet settled.
    package func waitingOfAll(_ throughput: Throughput.Count, open: Int) -> FairQueue.Size {
        var jobs = jobs(of: 4, throughput)
        if throughput.jobs < Self.movedInASecond { jobs = min(jobs, max(0, places - open) * 3 / 4) }
        return .init(jobs: jobs, recipients: max(Self.leastInFlight, throughput.recipients), bytes: bytes / 2)
    }

    private func jobs(of fraction: Int, _ throughput: Throughput.Count) -> Int {
        throughput.jobs < Self.movedInASecond ? places / fraction : max(places / fraction, throughput.jobs / 2)
    }
}
