import PushModel

/// A job of a trial, with the recipients' addresses.
struct SampleJob: Sendable {
    let routed: RoutedJob
    let recipients: [String]

    var number: Int { routed.ledgerID }
    var id: String { routed.job.id }
}

/// A recipient for the text of a sample job.
struct SampleRecipient: Sendable {
    let token: String
    /// The recipient's own payload as JSON, or `nil` to use the job's.
    var payload: String?
}
