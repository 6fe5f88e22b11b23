/// The meaning of an answer's status for the whole batch.
package enum AnswerClass: Equatable {
    /// The body reports the outcome of each recipient.
    case reported
    /// The request succeeded, but the answer does not report outcomes.
    case unreported
    /// The receiver accepted no recipient, and the batch is retried later.
    case busy
    /// The receiver accepted no recipient, because it refuses the contents of the batch.
    case refused
    /// The receiver accepted no recipient. The URL, the secret, the receiver or one recipient in the batch may be at
    /// fault.
    case doubtful
    /// The receiver failed and may have accepted some recipients.
    case broken

    /// Classifies a status.
    ///
    /// - Parameter hasRetryAfter: whether the answer has a `Retry-After` field.
    package init(status: Int, hasRetryAfter: Bool) {
        self =
            switch status {
            case 200: .reported
            case 201..<300: .unreported
            case 421, 425, 429: .busy
            case 503 where hasRetryAfter: .busy
            case 408: .broken
            case 300..<400, 401, 403, 404, 410: .doubtful
            case 400..<500: .refused
            default: .broken
            }
    }
}
