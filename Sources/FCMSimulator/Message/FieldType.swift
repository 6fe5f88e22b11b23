/// The type of a message's field, according to the protocol buffer definition.
indirect enum FieldType: Sendable {
    case string, bool, integer, number
    /// A duration: a number of seconds followed by an "s".
    case duration
    /// A time in the format of RFC 3339.
    case timestamp
    /// A map from names to strings.
    case strings
    /// Any JSON object.
    case object
    case list(FieldType)
    case message(MessageType)
    /// An enumeration of words. Google also accepts the words in lower case.
    case choice(name: String, [String])

    /// The name of the type in Google's error messages.
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
