import PushModel

/// A job that the scheduler has started, with its output and environment.
final class StartedJob: OpenJob {
    let job: Job
    let appLoad: AppLoad
    let output: RunningOutput
    let environment: PushEnvironment
    /// The maximum number of recipients that are sent as one job.
    let chunkSize: Int
    let isToBeSplit: Bool
    /// Whether all recipients of the job were settled without an output.
    var isSettled = false

    init(_ waiting: WaitingJob, to output: RunningOutput, _ environment: PushEnvironment) {
        (job, appLoad) = (waiting.job, waiting.appLoad)
        (self.output, self.environment) = (output, environment)
        (chunkSize, isToBeSplit) = (waiting.chunkSize, waiting.isToBeSplit)
        super.init(waiting.inbound)
    }

    override var isOnce: Bool { hasClaim && job.atMostOnce }

    override var due: Timestamp { job.sendAt.map { max($0, inbound.since) } ?? inbound.since }

    func routed(_ credential: Credential?) -> RoutedJob {
        RoutedJob(
            job: job, environment: environment, credential: credential, lane: inbound.lane,
            attempt: inbound.attempt, redelivered: inbound.wasSentBefore, ledgerID: entry, traits: output.traits,
            tally: appLoad.tally, trace: traceHeaders)
    }
}
