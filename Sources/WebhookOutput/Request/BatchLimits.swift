/// What a batch may be at most.
package enum BatchLimits {
    package static let recipients = 500
    package static let bodyBytes = 1_048_576
    package static let answerBytes = 1_048_576
    /// The most memory for batches on the wire and their answers, in bytes.
    package static let bytesOnWire = 33_554_432

    /// The most recipients of a batch in a later attempt, if the outcome of the earlier one is unknown. An attempt has an
    /// eighth of the one before, so that a recipient for which a receiver fails ends alone.
    package static func recipients(attempt: Int) -> Int { max(1, 512 >> (3 * (attempt - 1))) }

    /// The most bytes of an answer for a number of recipients.
    package static func answerBytes(recipients: Int) -> Int { min(answerBytes, 65_536 + 2_048 * recipients) }
}
