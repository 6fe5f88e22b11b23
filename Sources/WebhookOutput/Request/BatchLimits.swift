/// The limits of a batch.
package enum BatchLimits {
    package static let recipients = 500
    package static let bodyBytes = 1_048_576
    package static let answerBytes = 1_048_576
    /// The maximum memory for batches on the wire and their answers, in bytes.
    package static let bytesOnWire = 33_554_432

    /// Returns the maximum number of recipients of a batch in a later attempt, if the outcome of the earlier one is
    /// unknown. Each attempt allows an eighth of the previous one, so that a recipient that makes a receiver fail is
    /// finally sent alone.
    package static func recipients(attempt: Int) -> Int { max(1, 512 >> (3 * (attempt - 1))) }

    /// Returns the maximum size of an answer for this number of recipients, in bytes.
    package static func answerBytes(recipients: Int) -> Int { min(answerBytes, 65_536 + 2_048 * recipients) }
}
