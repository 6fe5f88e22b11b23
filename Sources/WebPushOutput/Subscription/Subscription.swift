package import PushModel

/// The parts of a subscription other than its endpoint, in the form that browsers produce (W3C Push API,
/// `PushSubscription`'s `toJSON()`):
/// `{"endpoint":"https://…","expirationTime":null,"keys":{"p256dh":"B…","auth":"…"}}`.
package struct Subscription {
    /// The keys, or `nil` if the subscription accepts only messages without a body.
    package private(set) var keys: ReceiverKeys?
    package private(set) var expiration: Timestamp?

    /// Reads the keys and the expiration time.
    ///
    /// - Parameter json: a JSON object. Unknown members are ignored.
    /// - Throws: ``WebPushFault/badKeys`` if the keys are incomplete or invalid.
    package init(_ json: UnsafeBufferPointer<UInt8>) throws(WebPushFault) {
        var texts = KeyTexts()
        var scanner = JSONScanner(json)
        do throws(JSONSyntaxError) {
            try scanner.object { (name, scanner) throws(JSONSyntaxError) in
                if json.member(name, is: "keys"), scanner.nextKind() == .object {
                    try texts.read(json, &scanner)
                } else if json.member(name, is: "expirationTime"), scanner.nextKind() == .number {
                    expiration = Self.moment(json[try scanner.value()])
                } else {
                    try scanner.value()
                }
            }
        } catch {
            throw .badKeys
        }
        keys = try texts.keys()
    }

    /// Returns the time for a number of milliseconds. JavaScript may write the number with a fraction.
    private static func moment(_ number: Slice<UnsafeBufferPointer<UInt8>>) -> Timestamp? {
        Double(String(decoding: number, as: UTF8.self)).flatMap { Int64(exactly: $0.rounded()) }
            .map(Timestamp.init(milliseconds:))
    }
}

/// The members of `keys`, decoded.
private struct KeyTexts {
    private var point: [UInt8]?
    private var secret: [UInt8]?
    private var isEmpty = true

    mutating func read(_ json: UnsafeBufferPointer<UInt8>, _ scanner: inout JSONScanner) throws(JSONSyntaxError) {
        try scanner.object { (name, scanner) throws(JSONSyntaxError) in
            isEmpty = false
            guard scanner.nextKind() == .string else {
                try scanner.value()
                return
            }
            let text = try scanner.string()
            if json.member(name, is: "p256dh") { point = Self.bytes(json, text) }
            if json.member(name, is: "auth") { secret = Self.bytes(json, text) }
        }
    }

    /// Decodes base64 text. Some JSON encoders escape the slash, which the standard alphabet contains.
    private static func bytes(_ json: UnsafeBufferPointer<UInt8>, _ token: JSONScanner.StringToken) -> [UInt8]? {
        let text = json[token.range]
        guard token.hasEscapes else { return Base64URL.bytes(UnsafeBufferPointer(rebasing: text)) }
        return JSONText.unescaped(text).withUnsafeBufferPointer { Base64URL.bytes($0) }
    }

    func keys() throws(WebPushFault) -> ReceiverKeys? {
        if isEmpty { return nil }
        guard let point, let secret else { throw .badKeys }
        return try ReceiverKeys(point: point, secret: secret)
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func member(_ name: JSONScanner.StringToken, is expected: StaticString) -> Bool {
        self[name.range].elementsEqual(expected.withUTF8Buffer { $0 })
    }
}
