package import PushModel

/// A push on the wire, with what the fields of its answer have said so far.
package struct PushOnWire {
    package let push: QueuedPush
    /// The uptime in milliseconds.
    package let writtenAt: Int64
    package var providerID: ProviderID?
    /// What only some answers have, kept apart so that the others stay small.
    private var extras: AnswerExtras?

    package init(push: QueuedPush, writtenAt: Int64) {
        self.push = push
        self.writtenAt = writtenAt
    }

    /// A second id that the provider gives.
    package var uniqueID: String? { extras?.uniqueID }
    package var retryAfterSeconds: Int32 { extras?.retryAfterSeconds ?? 0 }

    package mutating func withExtras(_ change: (AnswerExtras) -> Void) {
        let extras = extras ?? AnswerExtras()
        change(extras)
        self.extras = extras
    }
}
