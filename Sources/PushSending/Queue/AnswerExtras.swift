/// What not every answer has.
package final class AnswerExtras {
    /// The least to wait before another attempt; 0: the provider does not say.
    package var retryAfterSeconds: Int32 = 0
    package var uniqueID: String?
}
