import PushModel

/// A push that waits to be sent or is on the wire.
package struct QueuedPush {
    package let job: QueuedJob
    package let recipient: Int
    /// The number of times that the push was queued again because the server had certainly not processed it.
    package let resends: Int
    /// Whether the push was sent before in this attempt and refused for a reason that a second request decides.
    package let isRepeated: Bool
    /// Whether the push tests if a refusal persists.
    package let isProbe: Bool
    /// The part of a halved batch that the push belongs to, which is sent as a batch of its own; 0 if there is none.
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

    /// Returns the push to send once more.
    package func again(asProbe isProbe: Bool = false, isCounted: Bool = true) -> QueuedPush {
        QueuedPush(
            job: job, recipient: recipient, resends: resends + (isCounted ? 1 : 0), isRepeated: isRepeated,
            isProbe: isProbe, group: group)
    }

    /// The same push, to send once more in this attempt.
    package var repeated: QueuedPush {
        QueuedPush(job: job, recipient: recipient, resends: resends, isRepeated: true)
    }

    /// The same push as the probe.
    package var asProbe: QueuedPush {
        QueuedPush(
            job: job, recipient: recipient, resends: resends, isRepeated: isRepeated, isProbe: true,
            group: group)
    }

    /// The same push as a member of a part of a halved batch.
    package func inGroup(_ group: UInt32) -> QueuedPush {
        QueuedPush(job: job, recipient: recipient, resends: resends, isRepeated: isRepeated, group: group)
    }

    package var identity: PushIdentity { PushIdentity(of: job.routed.job, recipient: recipient) }
}
