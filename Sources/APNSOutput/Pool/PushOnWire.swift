import PushModel

/// A push on the wire, with what the fields of its answer have said so far.
struct PushOnWire {
    let push: QueuedPush
    var providerID: ProviderID?
    /// What only some answers have, kept apart so that the others stay small.
    private var extras: AnswerExtras?

    init(push: QueuedPush) {
        self.push = push
    }

    var uniqueID: String? { extras?.uniqueID }
    var retryAfterSeconds: Int32 { extras?.retryAfterSeconds ?? 0 }

    mutating func withExtras(_ change: (AnswerExtras) -> Void) {
        let extras = extras ?? AnswerExtras()
        change(extras)
        self.extras = extras
    }
}
