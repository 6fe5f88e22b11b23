/// Why FCM would refuse a message, found out before sending: Google's word, and what is wrong in words of ours.
package struct FCMFault: Error, Equatable {
    package let reason: String
    package let detail: String

    /// Of Google's one word for all that is wrong with a request.
    package static func invalid(_ detail: String) -> FCMFault { FCMFault(reason: "INVALID_ARGUMENT", detail: detail) }
}
