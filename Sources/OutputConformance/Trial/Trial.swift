import PushModel
import Foundations

/// A check of one rule: an output with its double, and the calls that a host makes.
final class Trial: Sendable {
    let harness: OutputHarness
    let setup: OutputSetup
    let limits: ConformanceLimits
    let host = HostQueue()
    private let jobsMade = Atomic(0)
    private let recipientsMade = Atomic(0)
    private let handedIn = Mutex<[HandedIn]>([])
    private let isShutDownCalled = Flag()
    private let isShutDown = Flag()

    init(_ harness: OutputHarness, _ setup: OutputSetup, _ limits: ConformanceLimits) {
        self.harness = harness
        self.setup = setup
        self.limits = limits
    }

    var samples: OutputSamples { harness.samples }

    // MARK: Creating jobs

    /// Returns recipients that the double accepts and that no other job has.
    func good(_ count: Int) -> [String] {
        let first = recipientsMade.wrappingAdd(count, ordering: .relaxed).oldValue
        return (first..<first + count).map(samples.recipient)
    }

    /// Creates a job.
    ///
    /// - Parameters:
    ///   - credential: the credential, or `nil` for the first of the samples' credentials, if there is one.
    ///   - fields: JSON values by field name. They override the fields of the samples.
    func job(
        to recipients: [String], id: String? = nil, lane: Lane = .normal, credential: Credential? = nil,
        expiresAt: String? = nil, fields: [String: String] = [:]
    ) throws -> SampleJob {
        var fields = fields
        if let expiresAt { fields["expires_at"] = expiresAt }
        return try job(
            to: recipients.map { SampleRecipient(token: $0) }, id: id, lane: lane, credential: credential,
            fields: fields)
    }

    func job(
        to recipients: [SampleRecipient], id: String? = nil, lane: Lane = .normal, credential: Credential? = nil,
        fields: [String: String] = [:]
    ) throws -> SampleJob {
        let number = jobsMade.wrappingAdd(1, ordering: .relaxed).newValue
        let text = JobText(
            id: id ?? "job-\(number)", samples: samples, output: setup.plugin.name, recipients: recipients,
            fields: fields)
        let job = try JobDecoder.decode(text.bytes) { "" }
        return SampleJob(
            routed: RoutedJob(
                job: job, environment: samples.environment, credential: credential ?? samples.credentials.first,
                lane: lane, attempt: 1, redelivered: false, ledgerID: number),
            recipients: recipients.map(\.token))
    }

    // MARK: Calling the output

    /// Queues a call that sends jobs to the output, and returns at once.
    func send(_ jobs: [SampleJob], to recorder: RecordingSink) { send(jobs.map { ($0, recorder) }) }

    /// Queues one block that sends all jobs to the output, and returns at once.
    func send(_ jobs: [(SampleJob, RecordingSink)]) { host.call(handing(jobs)) }

    /// Returns a closure that sends jobs to the output. Their outcomes are counted at the end of the trial.
    func handing(_ jobs: [(SampleJob, RecordingSink)]) -> @Sendable () -> Void {
        handedIn.withLock { $0 += jobs.map { HandedIn($0, $1) } }
        return { [setup] in for (job, recorder) in jobs { setup.output.send(job.routed, reportingTo: recorder) } }
    }

    /// Sends jobs to the output, waits for their outcomes and returns them.
    func outcomes(of jobs: [SampleJob]) async -> [OutcomeEntry] {
        let recorder = RecordingSink()
        await deliver(jobs, to: recorder)
        return recorder.entries
    }

    func outcomes(of job: SampleJob) async -> [OutcomeEntry] { await outcomes(of: [job]) }

    /// Sends jobs to the output and waits for their outcomes.
    ///
    /// - Parameter recorder: the sink. All outcomes of its earlier jobs must have arrived.
    func deliver(_ jobs: [SampleJob], to recorder: RecordingSink) async {
        let before = recorder.reported
        send(jobs, to: recorder)
        await recorder.wait(for: before + jobs.reduce(0) { $0 + $1.recipients.count }, atMost: limits.patience)
    }

    func stopSending() { host.call { [setup] in setup.output.stopSending() } }

    func cancel(_ id: String) { host.call { [setup] in setup.output.cancel { $0 == id } } }

    func use(_ credentials: [Credential]) { use(Set(credentials.map(\.id))) }

    func use(_ credentials: Set<Credential.ID>) {
        host.call { [setup] in setup.output.credentialsChanged(to: credentials) }
    }

    /// Shuts the output down in the same way as the host does: after all calls have returned and all outcomes have been
    /// reported.
    ///
    /// - Returns: whether `shutDown` returned within the limit. Repeated calls return the same result.
    @discardableResult func shutDown() async -> Bool {
        if isShutDownCalled.set(), await host.isIdle(within: limits.patience) {
            _ = await eventually(within: limits.patience) { handedIn.withLock { $0.allSatisfy(\.isOver) } }
            if await ends(within: limits.patience, { [setup] in await setup.output.shutDown() }) { isShutDown.set() }
        }
        return isShutDown.isSet
    }

    /// Stops and shuts down the output, unless the rule already did.
    ///
    /// - Returns: a line of text for each violation of the requirements that apply to every rule.
    func close() async -> [String] {
        if !isShutDownCalled.isSet { stopSending() }
        let problems = await shutDown() ? [] : ["shutDown did not return within \(limits.patience)"]
        return handedIn.withLock { $0 }.flatMap(\.problems) + problems
    }

    // MARK: Controlling the double

    func behave(_ behaviour: ProviderBehaviour) async throws { try await setup.behaviours[behaviour]?() }

    func arrivals() async -> [String: Int]? { await setup.arrivals?() }

    /// Ends the trial and stops the double, regardless of the state of the output.
    ///
    /// - Returns: a line of text for each violation of the requirements that apply to every rule.
    func end() async -> [String] {
        if setup.behaviours[.accepts] != nil { try? await behave(.accepts) }
        let problems = await close()
        _ = await ends(within: limits.patience) { [setup] in await setup.stop() }
        return problems
    }
}
