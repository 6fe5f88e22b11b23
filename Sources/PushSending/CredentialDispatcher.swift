package import PushModel

/// A dispatcher for the pushes of a pool that belongs to one credential.
// why: unchecked for the same reason as its superclass.
package final class CredentialDispatcher: PushDispatcher, @unchecked Sendable {
    package let health: PoolHealth

    /// Creates the dispatcher of a new pool. See ``PushDispatcher``.
    package init(
        health: PoolHealth, badTokens: BadTokenCounter? = nil, leastWait: Int32 = 0,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.health = health
        super.init(rules: health, badTokens: badTokens, leastWait: leastWait, clock: clock)
    }

    /// Records that the provider refused a push, and that its credential or topic is or may be the cause.
    ///
    /// - Parameter isAmbiguous: Whether the refusal may concern this push alone, such as a bare 403 or 404. It is
    ///   `false` if the provider stated that it refuses the credential or topic.
    /// - Returns: The consequence to report for the push. `hold` uses no attempt. `retry` uses one.
    package func refuse(
        _ sent: PushOnWire, _ what: RefusalSubject = .credential, isAmbiguous: Bool, reason: String, at now: Moment
    ) -> RefusalConsequence {
        let consequence = health.refused(sent, what, isAmbiguous: isAmbiguous, reason: reason, now: now)
        holdQueued(at: now)
        return consequence
    }

    /// Records that the provider refuses the credential without reference to a push, for example in a GOAWAY.
    package func refuseCredential(reason: String, at now: Moment) {
        health.refuseCredential(reason: reason, now: now)
        holdQueued(at: now)
    }

    /// Settles all waiting pushes, and all pushes that arrive later, with the verdict `returned`. Called some time
    /// after the credential was retired.
    package func returnAll(now: Int64) {
        health.returnAll()
        holdQueued(at: moment(now))
    }

    /// Settles a push that the provider has accepted.
    ///
    /// - Parameter what: The subject that the provider has accepted: the credential, or both the credential and the
    ///   topic.
    package func settleSent(
        _ sent: PushOnWire, _ what: RefusalSubject, status: Int, trimmedBytes: Int = 0, at now: Moment
    ) {
        let job = sent.push.job
        job.tokens?.answered(bad: nil, now: now)
        health.accepted(what, sent, now: now)
        settle(
            Outcome(
                job: job.routed, recipient: sent.push.recipient, verdict: .sent, status: status, judge: .provider,
                providerID: sent.providerID, uniqueID: sent.uniqueID, trimmedBytes: trimmedBytes, at: now.wall),
            of: job)
    }
}
