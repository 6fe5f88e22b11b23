package import PushModel

/// How long and how hard a run is.
package struct Profile: Sendable {
    /// How often something happens on a track: milliseconds between the end of one fault and the next.
    package struct Gaps: Sendable {
        package var workers: ClosedRange<Int>
        package var servers: ClosedRange<Int>
        package var network: ClosedRange<Int>
        package var apns: ClosedRange<Int>
        package var credentials: ClosedRange<Int>
        package var settings: ClosedRange<Int>
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
    /// Milliseconds that a worker works with other settings.
    package var resetting: ClosedRange<Int>
    /// Seconds until everything must be settled when the faults have ended.
    package var settleSeconds: Int
    /// Recipients whose answer never comes; each takes all its attempts.
    package var hasSilentTokens: Bool

    /// How much more often than in a long run jobs are out of the ordinary.
    package var oddity = 1
    /// Milliseconds from publishing to `send_at`, for jobs that have one.
    package var sendAfter = 1_000...15_000
    /// The same for jobs that are cancelled before: time in which all workers can come to know.
    package var cancelledSendAfter = 12_000...30_000
    /// Milliseconds from publishing, or from `send_at`, to `expires_at`, for jobs that have one.
    package var expireAfter = 500...20_000
    /// Seconds in which jobs of the same id are sent once; 0: that is not asked for.
    package var deduplicationWindow = 3_600

    /// Of the broker. Of several, one at a time is stopped, and never all.
    package var nodes = 1
    package var publishers = 3
    package var workers = 3
    package var mostRecipients = 300
    /// Of a large job, around and above what `at_most_once` jobs are split by; one in a hundred jobs is large.
    package var largeJobs = 499...1_000
    package var heartbeatSeconds = 2
    package var requestTimeoutSeconds = 3
    package var drainSeconds = 8
    package var retryDelays = [1, 2, 4]
    package var maximumAttempts = 12
    package var maximumInFlight = 2_000
    package var prefetch: [Lane: Int] = [.urgent: 50, .normal: 50, .bulk: 20]
    /// Megabytes that no worker may ever exceed.
    package var memoryLimit = 400

    /// `make torture`.
    package static func long(minutes: Double) -> Profile {
        Profile(
            seconds: Int(minutes * 60), rate: 600,
            gaps: Gaps(
                workers: 6_000...20_000, servers: 20_000...45_000, network: 2_000...8_000, apns: 2_000...8_000,
                credentials: 8_000...25_000, settings: 2_000...10_000),
            outage: 500...8_000, freeze: 5_000...9_000, resetting: 3_000...20_000, settleSeconds: 180,
            hasSilentTokens: true)
    }

    /// Among the tests: everything happens, and it takes less than a minute.
    package static let short: Profile = {
        var profile = shortOfTime
        (profile.retryDelays, profile.maximumAttempts) = ([1, 2], 8)
        (profile.oddity, profile.mostRecipients) = (3, 150)
        profile.locking = 1_000...3_000
        (profile.sendAfter, profile.cancelledSendAfter) = (1_000...5_000, 7_000...9_000)
        return profile
    }()

    private static let shortOfTime = Profile(
        seconds: 12, rate: 300,
        gaps: Gaps(
            workers: 2_000...5_000, servers: 2_000...4_000, network: 500...2_000, apns: 500...2_000,
            credentials: 2_000...5_000, settings: 1_000...2_000),
        outage: 300...1_500, freeze: 4_500...5_500, resetting: 1_000...3_000, settleSeconds: 120,
        hasSilentTokens: false)

    /// Open jobs of one worker: no more can come back at once.
    package var openJobs: Int { prefetch.values.reduce(0, +) }
}
