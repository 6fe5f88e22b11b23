/// The limits on the size and number of batches.
package enum BatchLimits {
    package static let recipients = 500
    package static let bodyBytes = 1_048_576
    package static let answerBytes = 1_048_576
    /// The memory for one receiver's open batches and their answers, in bytes. At or above this value, no further batch
    /// is sent.
    package static let bytesOnWire = 33_554_432

    /// Returns the maximum number of recipients in a batch for a redelivered job. Each attempt allows an eighth of the
    /// previous number. A recipient that makes a receiver fail is therefore eventually sent alone.
    package static func recipients(attempt: Int) -> Int { max(1, 512 >> (3 * (attempt - 1))) }

    /// Returns the maximum size of an answer for a number of recipients, in bytes.
    package static func answerBytes(recipients: Int) -> Int { min(answerBytes, 65_536 + 2_048 * recipients) }
}
