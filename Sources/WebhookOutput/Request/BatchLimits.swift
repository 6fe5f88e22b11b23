/// What a batch may be at most.
package enum BatchLimits {
    package static let recipients = 500
    package static let bodyBytes = 1_048_576
    package static let answerBytes = 1_048_576
}
