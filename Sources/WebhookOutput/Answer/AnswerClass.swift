/// The meaning of an answer's status for the batch as a whole.
package enum AnswerClass: Equatable {
    /// The body reports the outcome of each recipient.
    case told
    /// The request succeeded, or another system handles it, but the answer reports no outcomes.
    case untold
    /// No recipient was accepted. The batch is retried later.
    case busy
    /// No recipient was accepted, because of the contents of the batch.
    case refused
    /// No recipient was accepted. Either the URL, the secret or the receiver must be corrected, or a recipient in the
    /// batch is at fault.
    case doubtful
    /// Some recipients may have been accepted.
    case broken

    /// Classifies a status.
    ///
    /// - Parameter saysWhen: Whether the answer has a `Retry-After` field.
    package init(status: Int, saysWhen: Bool) {
        self =
            switch status {
            case 200: .told
            case 201..<300: .untold
            case 421, 425, 429: .busy
            case 503 where saysWhen: .busy
            case 408: .broken
            case 300..<400, 401, 403, 404, 410: .doubtful
            case 400..<500: .refused
            default: .broken
            }
    }
}
