package import PushModel

/// How long and how hard a run is.
package struct Profile: Sendable {
    /// How often something happens on a track: milliseconds between the end of one fault and the next.
    package struct Gaps: Sendable {
        package var workers: ClosedRange<Int>
        package var servers: ClosedRange<Int>
        package var network: ClosedRange<Int>
        /// Of each.
        package var services: ClosedRange<Int>
        package var credentials: ClosedRange<Int>
        package var settings: ClosedRange<Int>
        package var splitting = 20_000...40_000
        package var queue = 60_000...90_000
        /// Of each paced app: long enough to be counted over a window.
        package var paces = 30_000...60_000
        package var campaigns = 70_000...110_000
    }

    /// Seconds during which jobs are published and faults happen.
    package var seconds: Int
    /// Recipients published in a second, over all publishers.
    package var rate: Int
    package var gaps: Gaps
    /// Milliseconds that an outage lasts.
    package var outage: ClosedRange<Int>
    /// Milliseconds that a worker is frozen: more than two heartbeats.
    package var freeze: ClosedRange<Int>
    /// Milliseconds that the device tokens are locked.
    var locking = 10_000...60_000
    /// Milliseconds that another consumer's queue is full. Workers offer an event after 1, 6 and 36 seconds, so longer than
    /// the second offer and shorter than the third: an event that is offered each second is then told apart.
    package var fullness = 9_000...12_000
    /// Milliseconds that device tokens and claims are locked, once in a run that is long enough: more than the broker waits
    /// for an acknowledgement, and looks for such only once a minute.
    var standstill = 125_000...135_000
    /// Seconds a run has to last at least for a worker to join late, and for the long lock.
    var joinsFrom = 90
    var standsStillFrom = 360
    /// Milliseconds that a worker works with other settings.
    package var resetting: ClosedRange<Int>
    /// Seconds until everything must be settled when the faults have ended.
    package var settleSeconds: Int
    /// There is time for what takes minutes: recipients whose answer never comes, so that each takes all its attempts, and
    /// services that want a minute's rest.
    package var isPatient: Bool

    /// How much more often than in a long run jobs are out of the ordinary.
    package var oddity = 1
    /// Milliseconds from publishing to `send_at`, for jobs that have one.
    package var sendAfter = 1_000...15_000
    /// The same for jobs that are cancelled before: time in which all workers can come to know.
    package var cancelledSendAfter = 12_000...30_000
    /// Milliseconds from publishing, or from `send_at`, to `expires_at`, for jobs that have one.
    package var expireAfter = 500...20_000
    /// Rates that paced apps have by turns, of which a busy machine is far.
    var paces = [40, 80, 160, 320]
    /// What they have in the end.
    var lastPace = 150
    /// Recipients of a campaign; 0: there is none.
    var campaign = 3_000
    /// Of each paced app's last one, which takes several of the windows over which requests are counted.
    var lastCampaign: Int { 4 * campaign }
    /// Seconds that a job with a rate of its own takes by that.
    var ownPace = 10...40
    /// There are two servers for the database.
    var hasStandby = true
    /// Seconds in which jobs of the same id are sent once; 0: that is not asked for.
    package var deduplicationWindow = 3_600

    /// Of the broker. Of several, one at a time is stopped, and never all.
    package var nodes = 1
    package var publishers = 3
    package var workers = 3
    package var mostRecipients = 300
    /// Of a large job, around and above what `at_most_once` jobs are split by; one in a hundred jobs is large.
    package var largeJobs = 499...1_000
    /// Of a job of thousands.
    package var giantJobs = 2_000...6_000
    /// Of one that workers die at while nothing else happens: twice as many chunks as a worker publishes at once, and more.
    var stagedJob = 8_000
    /// Jobs of 100 recipients, published at once for a worker that joins.
    package var flood = 240
    package var heartbeatSeconds = 2
    package var requestTimeoutSeconds = 3
    /// The least that FCM's output takes.
    package var longestTimeoutSeconds = 10
    package var drainSeconds = 8
    /// One of them as long as the most patient service wants it.
    package var retryDelays = [1, 2, 4, 10]
    package var maximumAttempts = 8
    package var maximumInFlight = 2_000
    package var prefetch: [Lane: Int] = [.urgent: 100, .normal: 200, .bulk: 50]
    /// Megabytes that no worker may ever exceed.
    package var memoryLimit = 400

    /// `make torture`.
    package static func long(minutes: Double) -> Profile {
        Profile(
            seconds: Int(minutes * 60), rate: 600,
            gaps: Gaps(
                workers: 6_000...20_000, servers: 20_000...45_000, network: 2_000...8_000, services: 2_000...8_000,
                credentials: 8_000...25_000, settings: 2_000...10_000),
            outage: 500...8_000, freeze: 5_000...9_000, resetting: 3_000...20_000, settleSeconds: 360,
            isPatient: true)
    }

    /// Among the tests: everything happens, and it takes less than a minute.
    package static let short: Profile = {
        var profile = shortOfTime
        profile.retryDelays = [1, 2]
        (profile.oddity, profile.mostRecipients) = (3, 150)
        // A copy of the database is not made in a moment.
        (profile.hasStandby, profile.campaign) = (false, 0)
        (profile.paces, profile.ownPace, profile.gaps.paces) = ([80, 160, 320], 1...3, 2_000...4_000)
        (profile.locking, profile.fullness) = (1_000...3_000, 1_000...2_000)
        (profile.gaps.splitting, profile.gaps.queue) = (4_000...6_000, 3_000...5_000)
        profile.giantJobs = 1_010...1_400
        (profile.sendAfter, profile.cancelledSendAfter) = (1_000...5_000, 7_000...9_000)
        return profile
    }()

    private static let shortOfTime = Profile(
        seconds: 12, rate: 300,
        gaps: Gaps(
            workers: 2_000...5_000, servers: 2_000...4_000, network: 500...2_000, services: 500...2_000,
            credentials: 2_000...5_000, settings: 1_000...2_000),
        outage: 300...1_500, freeze: 4_500...5_500, resetting: 1_000...3_000, settleSeconds: 120,
        isPatient: false)

    /// In a cluster what was on its way between two queues when a node went comes after three to six minutes (operate.md).
    var settlingTakes: Int { nodes == 1 ? settleSeconds : settleSeconds + 240 }

    /// The worker that joins late.
    package var latecomer: Int { workers + 1 }

    /// Of the broker: milliseconds within which a delivery must be acknowledged.
    package static let patience = 60_000
}
