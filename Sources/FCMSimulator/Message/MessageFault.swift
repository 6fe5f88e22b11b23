/// A problem with a field of a message.
struct MessageFault: Error, Hashable {
    /// The path of the field, or an empty string if the problem concerns no field.
    let field: String
    let description: String
    /// Whether FCM itself found the fault. Otherwise, the conversion from JSON to protocol buffers found it, which
    /// happens before FCM.
    var isOfFCM = false

    /// Creates a fault that FCM itself finds.
    static func fcm(_ field: String, _ description: String) -> MessageFault {
        MessageFault(field: field, description: description, isOfFCM: true)
    }
}
