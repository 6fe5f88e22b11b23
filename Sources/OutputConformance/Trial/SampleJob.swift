import PushModel

/// A sample job and its recipients.
struct SampleJob: Sendable {
    let routed: RoutedJob
    let recipients: [String]

    var number: Int { routed.ledgerID }
    var id: String { routed.job.id }
}

/// A recipient in the text of a job.
struct SampleRecipient: Sendable {
    let token: String
    /// The recipient's own payload as JSON, or `nil` to use the job's.
    var payload: String?
}
