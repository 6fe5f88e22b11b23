/// A problem with a message.
struct MessageFault: Error, Hashable {
    /// The path of the field.
    let field: String
    let description: String
    /// Whether FCM itself found the fault. If not, the conversion from JSON to protocol buffers in front of FCM found
    /// it.
    var isOfFCM = false

    /// Creates a fault that FCM itself finds.
    static func fcm(_ field: String, _ description: String) -> MessageFault {
        MessageFault(field: field, description: description, isOfFCM: true)
    }
}
