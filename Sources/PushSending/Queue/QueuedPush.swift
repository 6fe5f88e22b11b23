import PushModel

/// One push waiting to be sent or on the wire.
package struct QueuedPush {
    package let job: QueuedJob
    package let recipient: Int
    /// How often it was queued again because the server had certainly not processed it.
    package let resends: Int
    /// Whether the push was sent before in this attempt and refused for a reason that a second request decides.
    package let isRepeated: Bool
    /// It finds out whether what was refused still is.
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

    /// To be sent once more.
    package func again(asProbe isProbe: Bool = false, isCounted: Bool = true) -> QueuedPush {
        QueuedPush(
            job: job, recipient: recipient, resends: resends + (isCounted ? 1 : 0), isRepeated: isRepeated,
            isProbe: isProbe, group: group)
    }

    /// The same push, to be sent once more in this attempt.
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
