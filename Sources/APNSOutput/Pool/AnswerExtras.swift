/// What not every answer has.
final class AnswerExtras {
    /// Apple documents no such field; but if it comes, it is meant.
    var retryAfterSeconds: Int32 = 0
    /// The sandbox's `apns-unique-id`.
    var uniqueID: String?
}
