import PushModel

/// The jobs and apps with failed or refused pushes. Pushes of other jobs and apps are better probes. A value type
/// without clock or I/O.
package struct FailedJobs: Sendable {
    /// The time for which an app is remembered after a failure, in milliseconds.
    private static let appMilliseconds: Int64 = 60_000
    /// The maximum number of jobs, and of apps, that are remembered.
    private static let longest = 1_000

    private var jobs: Set<Int> = []
    /// The uptime of each app's last failure, in milliseconds.
    private var apps: [String: Int64] = [:]

    package init() {}

    package mutating func insert(_ job: QueuedJob, nowMilliseconds now: Int64) {
        let job = job.routed.job
        if jobs.count >= Self.longest { jobs = [] }
        if apps.count >= Self.longest { apps = [:] }
        jobs.insert(PushIdentity.hash(of: job))
        apps[job.app] = now
    }

    /// Returns 2 for a failed job, 1 for another job of an app with a recent failure, and otherwise 0. A job with a
    /// lower number is the better probe.
    package func rank(_ job: QueuedJob) -> Int {
        let job = job.routed.job
        if jobs.isEmpty, apps.isEmpty { return 0 }
        return jobs.contains(PushIdentity.hash(of: job)) ? 2 : apps[job.app] != nil ? 1 : 0
    }

    /// Returns whether a push of the app has failed in the last minute.
    package func hasFailed(_ app: String) -> Bool { !apps.isEmpty && apps[app] != nil }

    /// Drops the jobs and apps that are no longer needed. Called once a second.
    ///
    /// - Parameter isHealthy: Whether no probe is needed, so that failed jobs can be dropped.
    package mutating func tick(isHealthy: Bool, nowMilliseconds now: Int64) {
        if !apps.isEmpty { apps = apps.filter { now - $0.value < Self.appMilliseconds } }
        if isHealthy, apps.isEmpty, !jobs.isEmpty { jobs = [] }
    }
}
