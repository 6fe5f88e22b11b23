internal import PushSimulator

/// The properties of a request that the checks need. They are collected from the header fields, and the text is not
/// kept.
package struct RequestProperties: Sendable {
    package enum Path: Sendable {
        case other, withoutToken, malformedToken, device
    }

    package enum Topic: Sendable {
        case absent, malformed, present(TopicSuffix)
    }

    package enum Finding<Value: Sendable>: Sendable {
        case absent, invalid, valid(Value)
    }

    package enum Authorization: Sendable {
        case absent, accepted, refused(RejectionReason)
    }

    package var isPost = false
    /// Whether the method is HEAD. The answer to a HEAD request has no body (RFC 9110, section 9.3.2).
    package var isHead = false
    package var path = Path.other
    /// The value of the device token's first eight hex digits.
    package var tokenPrefix: UInt32 = 0
    /// The value of the device token's ninth to twelfth hex digits.
    package var tokenParameter: UInt16 = 0
    package var hasDuplicates = false
    package var topic = Topic.absent
    /// Whether the connection's credential covers the topic.
    package var topicIsAllowed = true
    package var pushType = Finding<PushType>.absent
    package var priority = Finding<UInt8>.absent
    package var messageID = Finding<MessageID>.absent
    package var expirationIsInvalid = false
    package var collapseIDIsTooLong = false
    package var authorization = Authorization.absent
    package var bodyLength = 0
    private var seen: UInt32 = 0

    package init() {}

    /// Records one header field. The connection determines separately whether `authorization` is valid and the topic
    /// allowed.
    package mutating func take(_ name: FieldName, _ value: UnsafeRawBufferPointer) {
        let bit = 1 << name.rawValue as UInt32
        hasDuplicates = hasDuplicates || seen & bit != 0
        seen |= bit
        switch name {
        case .method:
            isPost = value.equals("POST")
            isHead = value.equals("HEAD")
        case .path:
            takePath(value)
        case .topic:
            topic = Self.topic(value)
        case .pushType:
            pushType = PushType(value).map { .valid($0) } ?? .invalid
        case .messageID:
            messageID = MessageID(value).map { .valid($0) } ?? .invalid
        case .expiration:
            expirationIsInvalid = value.isEmpty || value.count > 18 || value.contains { !(0x30...0x39 ~= $0) }
        case .priority:
            priority =
                value.equals("10")
                ? .valid(10) : value.equals("5") ? .valid(5) : value.equals("1") ? .valid(1) : .invalid
        case .collapseID:
            collapseIDIsTooLong = value.count > Self.longestCollapseID
        case .authorization, .scheme, .authority, .contentType, .contentLength, .userAgent, .accept, .acceptEncoding:
            break
        }
    }

    /// The maximum size of a collapse id, in bytes of UTF-8.
    private static let longestCollapseID = 64
    /// The permitted number of hex digits in a token. Apple declares that tokens may have any length ("Registering your
    /// app with APNs"), so these limits detect only values that are obviously wrong.
    private static let tokenDigits = 2...512
    package static let devicePath: StaticString = "/3/device/"

    private mutating func takePath(_ value: UnsafeRawBufferPointer) {
        guard value.hasPrefix(Self.devicePath) else {
            path = value.equals("/3/device") ? .withoutToken : .other
            return
        }
        let token = value.dropFirst(Self.devicePath.utf8CodeUnitCount)
        guard !token.isEmpty else {
            path = .withoutToken
            return
        }
        guard Self.tokenDigits.contains(token.count), token.count.isMultiple(of: 2) else {
            path = .malformedToken
            return
        }
        var leading: UInt64 = 0
        var bits: UInt8 = 0
        var position = 0
        for digit in token {
            let value = hexValue(digit)
            guard value != 0xff else {
                path = .malformedToken
                return
            }
            if position < 12 {
                leading |= UInt64(value) << UInt64(44 - 4 * position)
            }
            bits |= value
            position += 1
        }
        // A device token never consists of zeros only. People use such a token to test a credential.
        path = bits == 0 ? .malformedToken : .device
        tokenPrefix = UInt32(truncatingIfNeeded: leading >> 16)
        tokenParameter = UInt16(truncatingIfNeeded: leading)
    }

    private static func topic(_ value: UnsafeRawBufferPointer) -> Topic {
        let isWellFormed = !value.isEmpty && value.allSatisfy { 0x21...0x7e ~= $0 }
        return isWellFormed ? .present(TopicSuffix(ofTopic: value)) : .malformed
    }
}
