/// What an answer's status says of the batch as a whole.
package enum AnswerClass: Equatable {
    /// Its body tells what became of each recipient.
    case told
    /// It says that all went well, or that somebody else will see to it, and of no recipient what became of it.
    case untold
    /// Nothing was accepted: another attempt later.
    case busy
    /// Nothing was accepted, because of the contents of the batch.
    case refused
    /// Nothing was accepted. Either the URL, the secret or the receiver must be corrected, or a recipient in the batch
    /// is at fault.
    case doubtful
    /// Some of it may have been accepted.
    case broken

    /// - Parameter saysWhen: there is a Retry-After.
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
