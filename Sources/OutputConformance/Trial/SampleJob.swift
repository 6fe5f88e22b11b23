import PushModel

/// A job to try an output with, and whom it is for.
struct SampleJob: Sendable {
    let routed: RoutedJob
    let recipients: [String]

    var number: Int { routed.ledgerID }
    var id: String { routed.job.id }
}

/// A recipient as a job's text has it.
struct SampleRecipient: Sendable {
    let token: String
    /// JSON; nil: the job's.
    var payload: String?
}
