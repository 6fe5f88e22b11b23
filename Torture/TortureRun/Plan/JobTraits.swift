/// Special properties of a job, and the publisher's actions for it.
package struct JobTraits: Sendable, Hashable {
    /// The location of a job's ID.
    package enum Identity: Sendable, CaseIterable {
        case inBody, asMessageID
        /// The job has no ID, so a repeated message is processed like another job.
        case none
    }

    package var identity = Identity.inBody
    package var isAtMostOnce = false
    /// Whether the job has `"results": "problems"`, so that `sent` outcomes are not reported.
    package var wantsProblemsOnly = false
    /// The time from publishing to `send_at`, in milliseconds.
    package var sendAfter: Int?
    /// The time from publishing to `expires_at`, in milliseconds. 0 means that a push is delivered at once or never.
    package var expireAfter: Int?
    /// The time from publishing to the job's cancellation, in milliseconds.
    package var cancelAfter: Int?
    /// The time until the same message is published again, in milliseconds.
    package var publishAgainAfter: Int?
    package var flaw: JobFlaw?
    /// Whether the job has the ID of the job before it.
    package var sharesID = false
    /// Whether another job is published under the same ID when this job is done.
    package var isFollowed = false
    /// The length of each recipient's `ref` in bytes, or `nil` for no `ref`.
    package var refBytes: Int?
    /// The mistake that a careless publisher makes in the message's properties.
    package var slip: Slip?
    /// The job's own rate limit, in recipients per second.
    package var rate: Int?

    package init() {}

    package var hasID: Bool { identity != .none }
}

/// A mistake of a publisher in the properties of a message.
package enum Slip: Sendable, Hashable, CaseIterable {
    /// A delivery count and a priority, which only the broker may set.
    case brokersWord
    /// `CC` and `BCC` with keys that lead nowhere or to the job's own queue.
    case copiesForNobody
    /// `CC` with another lane, so that two copies of the job exist from the beginning.
    case copyInAnotherLane
    /// An `expiration`, so that the broker drops the message unless a worker consumes it at once.
    case expiration
}

/// A flaw that makes a message unusable as a job.
package enum JobFlaw: String, Sendable, CaseIterable {
    case brokenJSON, unknownField, noRecipients, unknownApp
    /// The `ref` of a recipient is too long.
    case longRef
    /// The routing key leads nowhere. The broker delivers the message to a worker as dropped.
    case unknownLane
    /// The ID belongs to another job and may not be used twice.
    case takenID

    /// The flaws that a job can have when it is first published.
    static let ofPublishers = allCases.filter { $0 != .takenID }

    package static let takenIDProblem = "was given to another job"

    /// The text that `x-martlet-reason` in the dead-letter queue must contain.
    package var reason: String {
        switch self {
        case .brokenJSON: "is not valid JSON"
        case .unknownField: "is not a field of a job"
        case .noRecipients: "recipients: "
        case .unknownApp: "is not registered"
        case .longRef: "is longer than 1024 bytes"
        case .unknownLane: "no lane is called"
        case .takenID: Self.takenIDProblem
        }
    }
}
