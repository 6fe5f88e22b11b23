/// The details that only some answers contain.
package final class AnswerExtras {
    /// The minimum wait before another attempt, in seconds, or 0 if the provider names none.
    package var retryAfterSeconds: Int32 = 0
    package var uniqueID: String?
}
