/// What is wrong with a message.
struct MessageFault: Error, Hashable {
    /// The path of the field.
    let field: String
    let description: String
    /// Whether FCM itself has found it; else what turns JSON into protocol buffers, in front of it.
    var isOfFCM = false

    /// What FCM itself finds.
    static func fcm(_ field: String, _ description: String) -> MessageFault {
        MessageFault(field: field, description: description, isOfFCM: true)
    }
}
