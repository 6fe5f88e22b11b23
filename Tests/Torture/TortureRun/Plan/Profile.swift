package import PushModel

/// The duration and intensity of a run.
package struct Profile: Sendable {
    /// The pauses between faults, in milliseconds from the end of one fault to the start of the next. Each property
    /// applies to one kind of fault.
    package struct Gaps: Sendable {
        package var workers: ClosedRange<Int>
        package var servers: ClosedRange<Int>
        package var network: ClosedRange<Int>
        /// The pauses for each output's service.
        package var services: ClosedRange<Int>
        package var credentials: ClosedRange<Int>
        package var settings: ClosedRange<Int>
        package var splitting = 20_000...40_000
        package var queue = 60_000...90_000
        /// The pauses between changes of an app's rate limit, in which requests can be counted.
        package var paces = 30_000...60_000
        package var campaigns = 70_000...110_000
    }

    /// The time during which jobs are published and faults occur, in seconds.
    package var seconds: Int
    /// The number of recipients that all publishers together publish per second.
    package var rate: Int
    package var gaps: Gaps
    /// The duration of an outage, in milliseconds.
    package var outage: ClosedRange<Int>
    /// The time for which a worker is frozen, in milliseconds. It exceeds two heartbeats.
    package var freeze: ClosedRange<Int>
    /// The time for which the table of device tokens is locked, in milliseconds.
    var locking = 10_000...60_000
    /// The time for which another consumer's queue is full, in milliseconds. Workers publish a rejected event again
    /// after 1, 6 and 36 seconds. A worker that publishes it every second would be detected within this time.
    package var fullness = 9_000...12_000
    /// The time for which the tables of device tokens and claims are locked, in milliseconds. This happens once in a
    /// long run. The time exceeds the broker's consumer timeout, which the broker checks once a minute.
    var standstill = 125_000...135_000
    /// The minimum duration of a run in which a worker joins late, in seconds.
    var joinsFrom = 90
    /// The minimum duration of a run in which device tokens and claims are locked for a long time, in seconds.
    var standsStillFrom = 360
    /// The time for which a worker runs with changed settings, in milliseconds.
    package var resetting: ClosedRange<Int>
    /// The time limit for settling after the faults, in seconds.
    package var settleSeconds: Int
    /// Whether the run has time for effects that take minutes. Examples are pushes that get no answer until their
    /// attempts are used up, and services that require a pause of a minute.
    package var isPatient: Bool

    /// The factor by which unusual jobs are more frequent than in a long run.
    package var oddity = 1
    /// The time from publishing to `send_at`, in milliseconds, for jobs that have a `send_at`.
    package var sendAfter = 1_000...15_000
    /// The time from publishing to `send_at`, in milliseconds, for jobs that are cancelled before `send_at`. It is long
    /// enough for all workers to learn of the cancellation.
    package var cancelledSendAfter = 12_000...30_000
    /// The time from publishing, or from `send_at`, to `expires_at`, in milliseconds, for jobs that have an
    /// `expires_at`.
    package var expireAfter = 500...20_000
    /// The rate limits that rate-limited apps get during the run, in recipients per second. Even a busy machine could
    /// send much faster.
    var paces = [40, 80, 160, 320]
    /// The rate limit that all rate-limited apps have at the end of the run, in recipients per second.
    var lastPace = 150
    /// The number of recipients of a campaign, or 0 for no campaigns.
    var campaign = 3_000
    /// The number of recipients in the last campaign of each rate-limited app. Sending them takes several of the
    /// windows in which requests are counted.
    var lastCampaign: Int { 4 * campaign }
    /// The time that a job with its own rate limit takes, in seconds.
    var ownPace = 10...40
    /// Whether the database has a standby server.
    var hasStandby = true
    /// The time during which jobs with the same id are sent only once, in seconds, or 0 to send all of them.
    package var deduplicationWindow = 3_600

    /// The number of broker nodes. If there are several nodes, only one is stopped at a time.
    package var nodes = 1
    package var publishers = 3
    package var workers = 3
    package var mostRecipients = 300
    /// The number of recipients of a large job. Every hundredth job is large. The range begins just below the size at
    /// which `at_most_once` jobs are split.
    package var largeJobs = 499...1_000
    /// The number of recipients of a giant job, which workers must split.
    package var giantJobs = 2_000...6_000
    /// The number of recipients of a staged job (``JobNumber/staged(_:)``). Such a job has more than twice as many
    /// chunks as a worker publishes at once.
    var stagedJob = 8_000
    /// The number of jobs with 100 recipients that are published at once when a worker joins late.
    package var flood = 240
    package var heartbeatSeconds = 2
    package var requestTimeoutSeconds = 3
    /// The request timeout of the FCM output, in seconds. It is the longest request timeout in a run, because the FCM
    /// output accepts no shorter one.
    package var longestTimeoutSeconds = 10
    package var drainSeconds = 8
    /// The delays between attempts, in seconds. The longest delay is at least the delay that any service requires.
    package var retryDelays = [1, 2, 4, 10]
    package var maximumAttempts = 8
    package var maximumInFlight = 2_000
    package var prefetch: [Lane: Int] = [.urgent: 100, .normal: 200, .bulk: 50]
    /// The maximum memory of a worker, in megabytes.
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

    /// The profile of the run in the test suite, which takes less than a minute. It has no failovers, campaigns, late
    /// workers or long locks.
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

    /// The time limit for settling, in seconds. If a cluster's node fails, messages between two of its queues arrive
    /// after three to six minutes (docs/runbook.md).
    var settlingTakes: Int { nodes == 1 ? settleSeconds : settleSeconds + 240 }

    /// The number of the worker that joins late.
    package var latecomer: Int { workers + 1 }

    /// The time within which a delivery must be acknowledged (RabbitMQ's `consumer_timeout`), in milliseconds.
    package static let patience = 60_000
}
