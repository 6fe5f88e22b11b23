import PushModel

/// A check for faults that make FCM refuse a message regardless of its recipient (Google: REST resource
/// projects.messages, "Message"). It reports a fault only if FCM certainly refuses the message.
struct MessageCheck {
    /// The members that name the target of a message. Only recipients may set them.
    private static let targets: Set<String> = ["token", "fid", "topic", "condition"]
    private static let reservedKeys: Set<String> = ["from", "message_type"]
    private static let reservedPrefixes = ["google.", "gcm.notification."]
    static let maximumBytes = 4_096
    static let maximumTopicBytes = 2_048

    /// The size of the keys and values of `data` and `notification`, which every device receives, in bytes.
    private(set) var bytes = 0

    /// Checks a message.
    ///
    /// - Parameter message: a JSON object that the scanner has accepted.
    init(_ message: UnsafeBufferPointer<UInt8>) throws(FCMFault) {
        var fault: FCMFault?
        var bytes = 0
        var scanner = JSONScanner(message)
        try? scanner.object { (key, scanner) throws(JSONSyntaxError) in
            let name = key.text(in: message)
            if Self.targets.contains(name) {
                fault = fault ?? .invalid("message.\(name) belongs in recipients, not in the payload")
            }
            let isCounted = name == "data" || name == "notification"
            guard isCounted, scanner.nextKind() == .object else {
                return _ = try scanner.value()
            }
            try scanner.object { (key, scanner) throws(JSONSyntaxError) in
                let member = key.text(in: message)
                if name == "data" { fault = fault ?? Self.fault(ofDataKey: member, scanner.nextKind()) }
                bytes += member.utf8.count
                bytes += Self.length(of: try scanner.value(), in: message)
            }
        }
        if let fault { throw fault }
        self.bytes = bytes
    }

    private static func fault(ofDataKey key: String, _ kind: JSONScanner.ValueKind) -> FCMFault? {
        if kind != .string { return .invalid("message.data.\(key) must be a string") }
        guard reservedKeys.contains(key) || reservedPrefixes.contains(where: key.hasPrefix) else { return nil }
        return .invalid("message.data.\(key) is a reserved key")
    }

    private static func length(of value: Range<Int>, in message: UnsafeBufferPointer<UInt8>) -> Int {
        guard message[value.lowerBound] == UInt8(ascii: "\"") else { return value.count }
        let text = message[value.lowerBound + 1..<value.upperBound - 1]
        return text.contains(UInt8(ascii: "\\")) ? JSONText.unescaped(text).count : text.count
    }

    /// Returns a fault if the message is too large for a kind of recipient, or `nil`.
    func fault(to kind: AddressKind) -> FCMFault? {
        let limit = kind.isBroadcast ? Self.maximumTopicBytes : Self.maximumBytes
        guard bytes > limit else { return nil }
        return .invalid("message has \(bytes) bytes of data and notification, more than \(limit)")
    }
}

extension JSONScanner.StringToken {
    func text(in bytes: UnsafeBufferPointer<UInt8>) -> String {
        hasEscapes
            ? String(decoding: JSONText.unescaped(bytes[range]), as: UTF8.self)
            : String(decoding: bytes[range], as: UTF8.self)
    }
}
