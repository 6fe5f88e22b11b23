import PushModel

/// A push that waits to be sent or is on the wire.
package struct QueuedPush {
    package let job: QueuedJob
    /// The index of the recipient in the whole job.
    package let recipient: Int
    /// The number of resends that count toward the maximum. See ``PushDispatcher/sendAgain(_:isCounted:at:)``.
    package let resends: Int
    /// Whether the push was already sent and refused in this attempt. The second request shows whether the refusal
    /// persists.
    package let isRepeated: Bool
    /// Whether the push is a probe, which decides whether a breaker closes.
    package let isProbe: Bool
    /// The number of a part of a halved batch, or 0 if the push belongs to no such part. The pushes of a part are sent
    /// as a batch of their own.
    package let group: UInt32

    package init(
        job: QueuedJob, recipient: Int, resends: Int = 0, isRepeated: Bool = false, isProbe: Bool = false,
        group: UInt32 = 0
    ) {
        self.job = job
        self.recipient = recipient
        self.resends = resends
        self.isRepeated = isRepeated
        self.isProbe = isProbe
        self.group = group
    }

    /// Returns a copy of the push to send again.
    ///
    /// - Parameter isCounted: Whether the copy counts one more resend.
    package func again(asProbe isProbe: Bool = false, isCounted: Bool = true) -> QueuedPush {
        QueuedPush(
            job: job, recipient: recipient, resends: resends + (isCounted ? 1 : 0), isRepeated: isRepeated,
            isProbe: isProbe, group: group)
    }

    /// A copy of the push for a second request in this attempt.
    package var repeated: QueuedPush {
        QueuedPush(job: job, recipient: recipient, resends: resends, isRepeated: true)
    }

    /// A copy of the push that is a probe.
    package var asProbe: QueuedPush {
        QueuedPush(
            job: job, recipient: recipient, resends: resends, isRepeated: isRepeated, isProbe: true,
            group: group)
    }

    /// Returns a copy of the push that belongs to a part of a halved batch.
    package func inGroup(_ group: UInt32) -> QueuedPush {
        QueuedPush(job: job, recipient: recipient, resends: resends, isRepeated: isRepeated, group: group)
    }

    package var identity: PushIdentity { PushIdentity(of: job.routed.job, recipient: recipient) }
}
