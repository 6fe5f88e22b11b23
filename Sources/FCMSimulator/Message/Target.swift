internal import PushSimulator

/// The target of a message: a device, an installation or a broadcast.
package enum Target: Hashable, Sendable {
    case token(String)
    /// The id of a Firebase installation.
    case installation(String)
    case topic(String)
    case condition(String)

    /// Creates a target from the name and value of a field, or returns `nil` if the field does not name a target.
    init?(_ name: String, _ text: String) {
        switch name {
        case "token": self = .token(text)
        case "fid": self = .installation(text)
        case "topic": self = .topic(text)
        case "condition": self = .condition(text)
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .token(let text), .installation(let text), .topic(let text), .condition(let text): text
        }
    }

    var isBroadcast: Bool {
        switch self {
        case .token, .installation: false
        case .topic, .condition: true
        }
    }

    /// The problem with the form of the target, or `nil` if it is well-formed.
    var fault: MessageFault? {
        switch self {
        case .token(let text):
            Self.isRegistrationToken(text.utf8) ? nil : Self.invalidToken("message.token")
        case .installation(let text):
            Self.isInstallation(text.utf8) ? nil : Self.invalidToken("message.fid")
        case .topic(let text):
            text.wholeMatch(of: /[a-zA-Z0-9\-_.~%]{1,900}/) != nil
                ? nil : .fcm("message.topic", "Invalid topic name: \"\(text)\"")
        case .condition(let text):
            TopicCondition.isGood(text) ? nil : .fcm("message.condition", "Invalid condition expression provided.")
        }
    }

    /// Returns whether the text has the form `<name>:APA91b<more>`. Google documents tokens as opaque, but all tokens
    /// seen so far have this form.
    private static func isRegistrationToken(_ text: String.UTF8View) -> Bool {
        guard text.count <= 4_096, let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > text.startIndex else {
            return false
        }
        let rest = text[text.index(after: colon)...]
        return text[..<colon].allSatisfy(UnpaddedBase64.isDigit) && rest.starts(with: "APA91b".utf8)
            && rest.allSatisfy(UnpaddedBase64.isDigit)
    }

    /// Returns whether the text consists of 22 digits of base64url, and the first digit begins with the bits 0111.
    private static func isInstallation(_ text: String.UTF8View) -> Bool {
        guard text.count == 22, let first = text.first else { return false }
        return UInt8(ascii: "c")...UInt8(ascii: "f") ~= first && text.allSatisfy(UnpaddedBase64.isDigit)
    }

    static func invalidToken(_ field: String) -> MessageFault {
        .fcm(field, "The registration token is not a valid FCM registration token")
    }
}
