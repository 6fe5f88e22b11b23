/// What a batch may be at most.
package enum BatchLimits {
    package static let recipients = 500
    package static let bodyBytes = 1_048_576
    package static let answerBytes = 1_048_576
    /// What batches on the wire and their answers may take together in memory, in bytes.
    package static let bytesOnWire = 33_554_432

    /// Bytes of an answer to so many recipients.
    package static func answerBytes(recipients: Int) -> Int { min(answerBytes, 65_536 + 2_048 * recipients) }
}
