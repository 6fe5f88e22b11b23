/// The special properties of a job, and the actions of its publisher.
package struct JobTraits: Sendable, Hashable {
    /// The place of a job's id in the message.
    package enum Identity: Sendable, CaseIterable {
        case inBody, asMessageID
        /// The job has no id, so workers treat a repeated message as a different job.
        case none
    }

    package var identity = Identity.inBody
    package var isAtMostOnce = false
    /// Whether the job has `"results": "problems"`, so that workers do not report `sent` outcomes.
    package var wantsProblemsOnly = false
    /// The time from publishing to `send_at` in milliseconds, or `nil` for no `send_at`.
    package var sendAfter: Int?
    /// The time from publishing to `expires_at` in milliseconds, or `nil` for no `expires_at`. With 0, a push is
    /// delivered immediately or never.
    package var expireAfter: Int?
    /// The time from publishing to the job's cancellation in milliseconds, or `nil` for no cancellation.
    package var cancelAfter: Int?
    /// The time after which the same message is published again, in milliseconds, or `nil` to publish it once.
    package var publishAgainAfter: Int?
    /// The flaw that makes the job unusable, or `nil`.
    package var flaw: JobFlaw?
    /// Whether the job has the same id as the job before it.
    package var sharesID = false
    /// Whether another job is published under the same id after this job is done.
    package var isFollowed = false
    /// The length of each recipient's `ref` in bytes, or `nil` for no `ref`.
    package var refBytes: Int?
    /// The mistake of a careless publisher in the message's properties, or `nil`.
    package var slip: Slip?
    /// The job's own rate limit in recipients per second, or `nil` for no limit.
    package var rate: Int?

    package init() {}

    package var hasID: Bool { identity != .none }
}

/// A mistake of a publisher in the properties of a message.
package enum Slip: Sendable, Hashable, CaseIterable {
    /// The message has a delivery count, which only the broker may set, and a priority.
    case brokersWord
    /// The message has `CC` and `BCC` with keys that lead nowhere or to the job's own queue.
    case copiesForNobody
    /// The message has a `CC` with another lane, so that two copies of the job exist from the beginning.
    case copyInAnotherLane
    /// The message has an `expiration`, so that the broker drops it unless a worker consumes it immediately.
    case expiration
}

/// A flaw that makes a message unusable as a job.
package enum JobFlaw: String, Sendable, CaseIterable {
    case brokenJSON, unknownField, noRecipients, unknownApp
    /// The `ref` of a recipient is too long.
    case longRef
    /// The routing key leads to no lane. The broker delivers the message to a worker as dropped.
    case unknownLane
    /// The job uses the id of another job, which is not allowed.
    case takenID

    /// The flaws that a job may have when it is first published.
    static let ofPublishers = allCases.filter { $0 != .takenID }

    package static let takenIDProblem = "was used for another job"

    /// The text that the header `x-martlet-reason` must contain in the dead-letter queue.
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
