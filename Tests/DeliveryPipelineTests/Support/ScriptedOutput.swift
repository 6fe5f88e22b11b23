import PushModel
import Synchronization

/// Takes jobs and reports nothing by itself: the test decides what becomes of them.
final class ScriptedOutput: Output {
    let name = "apns"
    let needsCredential = true
    private let taken = Mutex<[RoutedJob]>([])

    var jobs: [RoutedJob] { taken.withLock { $0 } }

    func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink) { taken.withLock { $0.append(job) } }
    func credentialsChanged(to credentials: Set<Credential.ID>) {}
    func stopSending() {}
    func shutDown() async {}
}
