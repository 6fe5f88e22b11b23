/// A recipient in a batch, and the receiver's outcome for it.
struct BatchRecipient {
    let place: Int
    let id: RecipientID
    let kind: RecipientKind

    init?(place: Int, token: String) {
        guard let id = RecipientID(receiverToken: token), let kind = RecipientKind(receiverToken: token) else {
            return nil
        }
        (self.place, self.id, self.kind) = (place, id, kind)
    }

    /// The outcome in the receiver's answer, as JSON, or `nil` if the answer leaves the recipient out.
    var outcome: String? {
        switch kind {
        case .plain, .slow: reported("sent", ",\"id\":\"m-\(id.number)\"")
        case .dead: reported("unregistered")
        // The kind `bounced` does not exist, so the worker reports such a recipient as failed.
        case .bad: reported(id.index.isMultiple(of: 2) ? "rejected" : "bounced")
        case .refusedForNow: reported("retry", ",\"retry_after\":1")
        case .silent: nil
        }
    }

    private func reported(_ kind: String, _ more: String? = nil) -> String {
        "{\"i\":\(place),\"kind\":\"\(kind)\"" + (more ?? ",\"reason\":\"\(BatchReceiver.reason)\"") + "}"
    }

    /// The HTTP status that a request with this outcome would get.
    var what: SightingRecord.What {
        switch kind {
        case .plain, .slow: .answered(200)
        case .dead: .answered(410)
        case .bad: .answered(400)
        case .refusedForNow: .answered(503)
        case .silent: .unanswered
        }
    }
}
