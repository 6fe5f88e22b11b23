/// What is asked for a job, and done with it, beyond the ordinary.
package struct JobTraits: Sendable, Hashable {
    /// Where its id is.
    package enum Identity: Sendable, CaseIterable {
        case inBody, asMessageID
        /// Nowhere: nobody can tell that it has come twice.
        case none
    }

    package var identity = Identity.inBody
    package var isAtMostOnce = false
    /// `"results": "problems"`: what was sent is not told.
    package var wantsProblemsOnly = false
    // Milliseconds from publishing to…
    /// … `send_at`.
    package var sendAfter: Int?
    /// … `expires_at`; 0: now or never.
    package var expireAfter: Int?
    /// … its cancellation.
    package var cancelAfter: Int?
    /// … publishing the same message again.
    package var publishAgainAfter: Int?
    package var flaw: JobFlaw?
    /// It has the id of the job before it.
    package var sharesID = false
    /// When it is done, another job is published under its id.
    package var isFollowed = false
    /// Bytes of what each recipient is called by its publisher (`ref`).
    package var refBytes: Int?
    /// What its publisher was careless to put on the message.
    package var slip: Slip?
    /// Its own: recipients a second.
    package var rate: Int?

    package init() {}

    package var hasID: Bool { identity != .none }
}

/// What a publisher should not put on a message.
package enum Slip: Sendable, Hashable, CaseIterable {
    /// What only the broker has a say in: a delivery count, and a priority.
    case brokersWord
    /// `CC` and `BCC` with keys that lead nowhere, or where it goes anyway.
    case copiesForNobody
    /// `CC` with another lane: there are two of it from the beginning.
    case copyInAnotherLane
    /// `expiration`: the broker drops it unless a worker takes it at once.
    case expiration
}

/// What makes a message no job.
package enum JobFlaw: String, Sendable, CaseIterable {
    case brokenJSON, unknownField, noRecipients, unknownApp
    /// What a recipient is called is too long.
    case longRef
    /// Routed nowhere: the broker hands it to a worker as what it has dropped.
    case unknownLane
    /// Another job has its id, which is to be one job's.
    case takenID

    /// What a publisher's job may be from the beginning.
    static let ofPublishers = allCases.filter { $0 != .takenID }

    package static let takenIDProblem = "was given to another job"

    /// What the dead-letter queue's `x-martlet-reason` must hold.
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
