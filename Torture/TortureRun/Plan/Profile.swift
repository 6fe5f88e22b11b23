package import PushModel

/// The duration and intensity of a run.
package struct Profile: Sendable {
    /// The pauses on each track, in milliseconds from the end of one fault to the start of the next.
    package struct Gaps: Sendable {
        package var workers: ClosedRange<Int>
        package var servers: ClosedRange<Int>
        package var network: ClosedRange<Int>
        /// The pause for each service.
        package var services: ClosedRange<Int>
        package var credentials: ClosedRange<Int>
        package var settings: ClosedRange<Int>
        package var splitting = 20_000...40_000
        package var queue = 60_000...90_000
        /// The pause for each rate-limited app. It is long enough to count requests over a window.
        package var paces = 30_000...60_000
        package var campaigns = 70_000...110_000
    }

    /// The time during which jobs are published and faults occur, in seconds.
    package var seconds: Int
    /// The number of recipients published per second by all publishers together.
    package var rate: Int
    package var gaps: Gaps
    /// The duration of an outage, in milliseconds.
    package var outage: ClosedRange<Int>
    /// The time for which a worker is frozen, in milliseconds. It exceeds two heartbeats.
    package var freeze: ClosedRange<Int>
    /// The time for which the device tokens are locked, in milliseconds.
    var locking = 10_000...60_000
    /// The time for which another consumer's queue is full, in milliseconds. Workers publish a refused event again after
    /// 1, 6 and 36 seconds, so a worker that does it every second stands out.
    package var fullness = 9_000...12_000
    /// The time for which device tokens and claims are locked, in milliseconds, once in a long run. It exceeds the
    /// broker's consumer timeout, which the broker checks once a minute.
    var standstill = 125_000...135_000
    /// The minimum duration of a run in which a worker joins late, in seconds. ``standsStillFrom`` is the minimum for
    /// the long lock.
    var joinsFrom = 90
    var standsStillFrom = 360
    /// The time for which a worker has changed settings, in milliseconds.
    package var resetting: ClosedRange<Int>
    /// The time limit for everything to be settled after the faults, in seconds.
    package var settleSeconds: Int
    /// Whether there is time for effects that take minutes. Examples are recipients that are never answered and use all
    /// their attempts, and services that require a pause of a minute.
    package var isPatient: Bool

    /// The factor by which unusual jobs are more frequent than in a long run.
    package var oddity = 1
    /// The time from publishing to `send_at` for jobs that have one, in milliseconds.
    package var sendAfter = 1_000...15_000
    /// The time from publishing to `send_at` for jobs that are cancelled before it, in milliseconds. It is long enough
    /// for all workers to learn of the cancellation.
    package var cancelledSendAfter = 12_000...30_000
    /// The time from publishing, or from `send_at`, to `expires_at` for jobs that have one, in milliseconds.
    package var expireAfter = 500...20_000
    /// The rates that rate-limited apps have in turn. Even a busy machine could send much faster.
    var paces = [40, 80, 160, 320]
    /// The rate of rate-limited apps at the end of the run.
    var lastPace = 150
    /// The number of recipients of a campaign, or 0 for no campaigns.
    var campaign = 3_000
    /// The number of recipients of each rate-limited app's last campaign. It takes several of the windows over which
    /// requests are counted.
    var lastCampaign: Int { 4 * campaign }
    /// The time that a job with a rate limit of its own takes, in seconds.
    var ownPace = 10...40
    /// Whether the database has a second server.
    var hasStandby = true
    /// The time during which jobs with the same ID are sent only once, in seconds, or 0 for no de-duplication.
    package var deduplicationWindow = 3_600

    /// The number of broker nodes. If there are several, only one is stopped at a time.
    package var nodes = 1
    package var publishers = 3
    package var workers = 3
    package var mostRecipients = 300
    /// The number of recipients of a large job. The range lies at and above the size by which `at_most_once` jobs are
    /// split. One in a hundred jobs is large.
    package var largeJobs = 499...1_000
    /// The number of recipients of a job of thousands.
    package var giantJobs = 2_000...6_000
    /// The number of recipients of a job for which workers are killed while no other fault occurs. It has more than
    /// twice as many chunks as a worker publishes at once.
    var stagedJob = 8_000
    /// The number of jobs with 100 recipients that are published at once for a worker that joins late.
    package var flood = 240
    package var heartbeatSeconds = 2
    package var requestTimeoutSeconds = 3
    /// The minimum request timeout that the FCM output accepts, in seconds.
    package var longestTimeoutSeconds = 10
    package var drainSeconds = 8
    /// The delays between attempts, in seconds. One of them is as long as the most patient service requires.
    package var retryDelays = [1, 2, 4, 10]
    package var maximumAttempts = 8
    package var maximumInFlight = 2_000
    package var prefetch: [Lane: Int] = [.urgent: 100, .normal: 200, .bulk: 50]
    /// The memory that no worker may ever exceed, in megabytes.
    package var memoryLimit = 400

    /// Returns the profile of `make torture`.
    package static func long(minutes: Double) -> Profile {
        Profile(
            seconds: Int(minutes * 60), rate: 600,
            gaps: Gaps(
                workers: 6_000...20_000, servers: 20_000...45_000, network: 2_000...8_000, services: 2_000...8_000,
                credentials: 8_000...25_000, settings: 2_000...10_000),
            outage: 500...8_000, freeze: 5_000...9_000, resetting: 3_000...20_000, settleSeconds: 360,
            isPatient: true)
    }

    /// The profile of the run in the test suite. All kinds of faults occur within less than a minute.
    package static let short: Profile = {
        var profile = shortOfTime
        profile.retryDelays = [1, 2]
        (profile.oddity, profile.mostRecipients) = (3, 150)
        // Copying the database to a standby takes too long for a short run.
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

    /// The time limit for settling, in seconds. In a cluster, messages that were between two queues when a node failed
    /// arrive after three to six minutes (operate.md).
    var settlingTakes: Int { nodes == 1 ? settleSeconds : settleSeconds + 240 }

    /// The number of the worker that joins late.
    package var latecomer: Int { workers + 1 }

    /// The broker's time limit for acknowledging a delivery, in milliseconds.
    package static let patience = 60_000
}
