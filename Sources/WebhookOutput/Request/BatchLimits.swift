/// What a batch may be at most.
package enum BatchLimits {
    package static let recipients = 500
    package static let bodyBytes = 1_048_576
    package static let answerBytes = 1_048_576
    /// The most memory for batches on the wire and their answers, in bytes.
    package static let bytesOnWire = 33_554_432

    /// The most bytes of an answer for a number of recipients.
    package static func answerBytes(recipients: Int) -> Int { min(answerBytes, 65_536 + 2_048 * recipients) }
}
