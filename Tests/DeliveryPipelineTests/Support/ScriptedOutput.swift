import PushModel
import Foundations

/// An output that accepts jobs and reports nothing by itself. The test reports the outcomes.
final class ScriptedOutput: Output {
    private let taken = Mutex<[RoutedJob]>([])
    private let cancelled = Mutex<[String]>([])

    /// The ids of the jobs that were cancelled while the output held them.
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

/// The plugin of ``ScriptedOutput``. Its name is the default output of a job.
struct ScriptedPlugin: OutputPlugin, OutputCredentials {
    let name = "apns"
    let accountName = "team"
    let recipients = RecipientForm.hex(maximumDigits: 512)
    let eventFields = EventFields(id: "apns_id", uniqueID: "apns_unique_id")

    var credentials: (any OutputCredentials)? { self }

    let hasOneWorld = false
    var hasFixedHosts = false
    func make(_ context: OutputContext) -> any Output { ScriptedOutput() }
    func need(of job: Job) -> CredentialNeed { CredentialNeed(topic: job.topic ?? job.app) }
    func uses(of app: String) -> [CredentialUse] { [] }
    func read(_ files: [CredentialFile], _ details: CredentialDetails, now: Timestamp) throws -> NewCredential {
        throw CredentialFault("none can be imported")
    }
    func endpoint(of environment: PushEnvironment, _ settings: OutputSettings) -> String { "nowhere" }
    func check(_ question: CredentialQuestion, _ context: OutputContext) -> CredentialFinding {
        CredentialFinding(.unusable("it is scripted"))
    }
}
