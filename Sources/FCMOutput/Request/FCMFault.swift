/// A fault in a message that is found before sending and that FCM would refuse. It consists of Google's error code and
/// an explanation by Martlet.
package struct FCMFault: Error, Equatable {
    package let reason: String
    package let detail: String

    /// Returns a fault with the code that Google uses for every kind of error in a request.
    package static func invalid(_ detail: String) -> FCMFault { FCMFault(reason: "INVALID_ARGUMENT", detail: detail) }
}
