import PushModel
import Threading

/// Takes jobs and reports nothing by itself: the test decides what becomes of them.
final class ScriptedOutput: Output {
    let name = "apns"
    let needsCredential = true
    private let taken = Mutex<[RoutedJob]>([])
    private let cancelled = Mutex<[String]>([])

    /// Ids of those it held.
    var cancelledJobs: [String] { cancelled.withLock { $0 } }

    var jobs: [RoutedJob] { taken.withLock { $0 } }

    func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink) { taken.withLock { $0.append(job) } }
    func credentialsChanged(to credentials: Set<Credential.ID>) {}
    func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) {
        cancelled.withLock { $0 += jobs.map(\.job.id).filter(isCancelled) }
    }
    func stopSending() {}
    func shutDown() async {}
}
