package import PushModel

/// The record of a published job. All times are in milliseconds since 1970.
package struct JobRecord: Sendable {
    package var output: OutputKind
    package var app: String
    package var lane: Lane
    package var traits: JobTraits
    package var recipients: [RecipientKind]
    package var published: Int64
    package var sendAt: Int64?
    /// The deadline in milliseconds since 1970, or `nil` for none. With 0, a push is delivered immediately or never.
    package var expiresAt: Int64?
    /// The time of the broker's confirm, or `nil` if there was none.
    package var confirmed: Int64?
    /// Whether the publisher published the job again, because its connection was lost before the confirm or the broker
    /// rejected the message.
    package var isMaybeTwice: Bool { timesRepeated > 0 }
    /// The number of times that the publisher published the job again because the broker did not confirm it.
    package var timesRepeated = 0
    /// The time at which the database confirmed the job's cancellation, or `nil` if it did not.
    package var cancelled: Int64?

    package init(
        output: OutputKind = .apns, app: String = "com.example.shop", lane: Lane = .normal,
        traits: JobTraits = JobTraits(), recipients: [RecipientKind], published: Int64 = 0, sendAt: Int64? = nil,
        expiresAt: Int64? = nil, confirmed: Int64? = nil
    ) {
        self.output = output
        self.app = app
        self.lane = lane
        self.traits = traits
        self.recipients = recipients
        self.published = published
        self.sendAt = sendAt
        self.expiresAt = expiresAt
        self.confirmed = confirmed
    }

    /// The earliest time at which the job could be sent.
    var due: Int64 { max(published, sendAt ?? 0) }

    /// The number of messages that the publisher sent for the job, as far as it knows. Without de-duplication, workers
    /// send all of them.
    var messages: Int {
        1 + timesRepeated + (traits.publishAgainAfter != nil ? 1 : 0)
    }

    /// The number of queues into which the broker puts each message of the job.
    private var copies: Int { traits.slip == .copyInAnotherLane ? 2 : 1 }

    var mostCopies: Int { messages * copies }

    /// Whether several messages of the job exist, regardless of their outcomes.
    var hasCopies: Bool { mostCopies > 1 }

    /// Returns the maximum number of times that workers process the job if no fault occurs.
    func mostRuns(_ limits: Limits) -> Int { mayRunTwice(limits) ? mostCopies : 1 }

    /// Returns whether workers may process several messages of the job, each with its own outcomes. De-duplication by
    /// id prevents this, except for a cancelled job, which ends before de-duplication.
    func mayRunTwice(_ limits: Limits) -> Bool {
        let isSentOnce = traits.isAtMostOnce || limits.deduplicates && traits.hasID
        return hasCopies && (!isSentOnce || traits.cancelAfter != nil)
    }
}

/// A message in the dead-letter queue.
package struct DeadRecord: Sendable {
    /// The number of the job, or `nil` if the message does not contain it.
    package var job: Int?
    package var reason: String

    package init(job: Int?, reason: String) {
        self.job = job
        self.reason = reason
    }
}

/// A result event that reports a rejected job.
package struct RejectionRecord: Sendable {
    package var job: Int
    package var received: Int64
    /// Whether an event with the same message id arrived before.
    package var isRepeated: Bool

    package init(job: Int, received: Int64 = 0, isRepeated: Bool = false) {
        self.job = job
        self.received = received
        self.isRepeated = isRepeated
    }
}
