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

    package init() {}

    package var hasID: Bool { identity != .none }
}

/// What makes a message no job.
package enum JobFlaw: String, Sendable, CaseIterable {
    case brokenJSON, unknownField, noRecipients, unknownApp
    /// Routed nowhere: the broker hands it to a worker as what it has dropped.
    case unknownLane

    /// What the dead-letter queue's `x-martlet-reason` must hold.
    package var reason: String {
        switch self {
        case .brokenJSON: "is not valid JSON"
        case .unknownField: "is not a field of a job"
        case .noRecipients: "recipients: "
        case .unknownApp: "is not registered"
        case .unknownLane: "no lane is called"
        }
    }
}
