package import PushModel

package struct JobRecord: Sendable {
    package var output: OutputKind
    package var app: String
    package var lane: Lane
    package var traits: JobTraits
    package var recipients: [RecipientKind]
    package var published: Int64
    package var sendAt: Int64?
    /// 0: now or never.
    package var expiresAt: Int64?
    /// When the broker took responsibility; nil: it did not say so.
    package var confirmed: Int64?
    /// Its publisher lost the connection before the confirm and published it again.
    package var isMaybeTwice: Bool { timesRepeated > 0 }
    package var timesRepeated = 0
    /// When its cancellation was known to be committed.
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

    /// Before that it had nothing to do.
    var due: Int64 { max(published, sendAt ?? 0) }

    /// Messages of it that its publisher knows of: each is sent where nothing makes them one.
    var messages: Int {
        1 + timesRepeated + (traits.publishAgainAfter != nil ? 1 : 0)
    }

    /// Queues that the broker put each of them into.
    private var copies: Int { traits.slip == .copyInAnotherLane ? 2 : 1 }

    var mostCopies: Int { messages * copies }

    /// There are several messages of it, whatever becomes of them.
    var hasCopies: Bool { mostCopies > 1 }

    /// Most runs of it without anything going wrong.
    func mostRuns(_ limits: Limits) -> Int { mayRunTwice(limits) ? mostCopies : 1 }

    /// Workers may have had two messages of it, of which each has its outcomes: what is to be sent once goes by the id,
    /// and what is cancelled does not come so far.
    func mayRunTwice(_ limits: Limits) -> Bool {
        let isSentOnce = traits.isAtMostOnce || limits.deduplicates && traits.hasID
        return hasCopies && (!isSentOnce || traits.cancelAfter != nil)
    }
}

/// A job that can't be used, in the dead-letter queue.
package struct DeadRecord: Sendable {
    /// Which one; nil: it does not say.
    package var job: Int?
    package var reason: String

    package init(job: Int?, reason: String) {
        self.job = job
        self.reason = reason
    }
}

/// An event that tells of a job that can't be used.
package struct RejectionRecord: Sendable {
    package var job: Int
    package var received: Int64
    /// The event had come before, under the same message id.
    package var isRepeated: Bool

    package init(job: Int, received: Int64 = 0, isRepeated: Bool = false) {
        self.job = job
        self.received = received
        self.isRepeated = isRepeated
    }
}
