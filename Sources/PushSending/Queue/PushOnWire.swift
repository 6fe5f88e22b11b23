package import PushModel

/// A push on the wire, with details from the header fields of the answer that have arrived.
package struct PushOnWire {
    package let push: QueuedPush
    /// The uptime at which the push was written, in milliseconds.
    package let writtenAt: Int64
    package var providerID: ProviderID?
    /// The details that only some answers have, or `nil` for none. They are stored separately, so that most values stay
    /// small.
    private var extras: AnswerExtras?

    package init(push: QueuedPush, writtenAt: Int64) {
        self.push = push
        self.writtenAt = writtenAt
    }

    /// A second id that the provider assigns, or `nil` for none.
    package var uniqueID: String? { extras?.uniqueID }
    package var retryAfterSeconds: Int32 { extras?.retryAfterSeconds ?? 0 }

    package mutating func withExtras(_ change: (AnswerExtras) -> Void) {
        let extras = extras ?? AnswerExtras()
        change(extras)
        self.extras = extras
    }
}
