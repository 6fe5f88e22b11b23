import PushModel

/// Functions that read the JSON bodies of Apple's channel management. They return `nil` if a body does not have the
/// documented form.
package enum BroadcastChannelAnswer {
    /// Returns the channel ids in `{"channels":["…",…]}`.
    package static func channels(in body: [UInt8]) -> [String]? {
        member("channels", of: body) { (bytes, scanner) throws(JSONSyntaxError) in
            var ids: [String] = []
            try scanner.array { (scanner) throws(JSONSyntaxError) in
                let id = try scanner.string()
                ids.append(String(decoding: JSONText.unescaped(bytes[id.range]), as: UTF8.self))
            }
            return ids
        }
    }

    /// Returns the storage policy in `{"message-storage-policy":0,"push-type":"LiveActivity"}`.
    package static func storage(in body: [UInt8]) -> BroadcastChannelStorage? {
        member("message-storage-policy", of: body) { (bytes, scanner) throws(JSONSyntaxError) in
            let number = try scanner.value()
            return Int(String(decoding: bytes[number], as: UTF8.self))
        }.flatMap(BroadcastChannelStorage.init(policy:))
    }

    private static func member<Value>(
        _ name: String, of body: [UInt8],
        _ read: (UnsafeBufferPointer<UInt8>, inout JSONScanner) throws(JSONSyntaxError) -> Value?
    ) -> Value? {
        body.withUnsafeBufferPointer { bytes in
            guard (try? UTF8Span(validating: bytes.span)) != nil else { return nil }
            var scanner = JSONScanner(bytes)
            guard scanner.nextKind() == .object else { return nil }
            var found: Value?
            do throws(JSONSyntaxError) {
                try scanner.object { (key, scanner) throws(JSONSyntaxError) in
                    if bytes[key.range].elementsEqual(name.utf8) {
                        found = try read(bytes, &scanner)
                    } else {
                        try scanner.value()
                    }
                }
            } catch {
                return nil
            }
            return found
        }
    }
}
