/// What a field of a message may hold, by its definition in protocol buffers.
indirect enum FieldType: Sendable {
    case string, bool, integer, number
    /// Seconds with an "s" at the end, in a text.
    case duration
    /// A moment as RFC 3339 writes it.
    case timestamp
    /// Texts by name.
    case strings
    /// Any JSON object.
    case object
    case list(FieldType)
    case message(MessageType)
    /// One of these words; Google takes them in lower case too.
    case choice(name: String, [String])

    /// What Google's complaints call it.
    var shown: String {
        switch self {
        case .string: "TYPE_STRING"
        case .bool: "TYPE_BOOL"
        case .integer: "TYPE_INT32"
        case .number: "TYPE_FLOAT"
        case .duration: "type.googleapis.com/google.protobuf.Duration"
        case .timestamp: "type.googleapis.com/google.protobuf.Timestamp"
        case .strings, .object: "type.googleapis.com/google.protobuf.Struct"
        case .list(let type): type.shown
        case .message(let type): "type.googleapis.com/google.firebase.fcm.v1.\(type.name)"
        case .choice(let name, _): "type.googleapis.com/google.firebase.fcm.v1.\(name)"
        }
    }
}
