import PushModel
import Testing
import WebPushOutput

@Suite struct SubscriptionTests {
    private static let endpoint = "https://push.example.com/wpush/v2/gAAAA"
    private static let point = RFC8291.receiverPoint
    private static let secret = RFC8291.secret

    private static func text(keys: String, rest: String = "") -> String {
        #"{"endpoint":"\#(endpoint)",\#(rest)"keys":\#(keys)}"#
    }

    @Test func readsSubscriptionFromBrowser() throws {
        let subscription = try Subscription(
            text: Self.text(
                keys: #"{"p256dh":"\#(Self.point)","auth":"\#(Self.secret)"}"#, rest: #""expirationTime":null,"#))
        #expect(subscription.keys?.point == Base64URL.bytes(Self.point))
        #expect(subscription.keys?.secret == Base64URL.bytes(Self.secret))
        #expect(subscription.expiration == nil)
    }

    /// Encoders differ in alphabet and padding, and some JSON encoders escape the slash.
    @Test(arguments: [("+", "/", ""), ("+", "/", "="), ("-", "_", "="), ("+", "\\/", "="), ("-", "_", "")])
    func readsKeysInEveryBase64Form(plus: String, slash: String, padding: String) throws {
        // This point contains both characters in which the alphabets differ.
        let point = "BP-vLxL3X_" + Self.point.dropFirst(10)
        func spelled(_ text: String, _ padding: String) -> String {
            text.map { $0 == "-" ? plus : $0 == "_" ? slash : String($0) }.joined() + padding
        }
        let good = try Subscription(
            text: Self.text(
                keys:
                    #"{"auth":"\#(spelled(Self.secret, padding + padding))","p256dh":"\#(spelled(Self.point, padding))"}"#
            ))
        #expect(good.keys?.point == Base64URL.bytes(Self.point))
        #expect(good.keys?.secret == Base64URL.bytes(Self.secret))
        #expect(throws: WebPushFault.badKeys, "the point is not on the curve") {
            try Subscription(
                text: Self.text(keys: #"{"p256dh":"\#(spelled(point, padding))","auth":"\#(Self.secret)"}"#))
        }
    }

    @Test(arguments: [
        #"{"p256dh":"\#(point)"}"#, #"{"auth":"\#(secret)"}"#, #"{"p256dh":"","auth":""}"#,
        #"{"p256dh":"\#(point)A","auth":"\#(secret)"}"#, #"{"p256dh":"\#(point.dropLast())","auth":"\#(secret)"}"#,
        #"{"p256dh":"\#(point)","auth":"\#(secret)AA"}"#, #"{"p256dh":"\#(point)","auth":"\#(secret.dropLast(2))"}"#,
        #"{"p256dh":"\#(point)","auth":7}"#, #"{"p256dh":"A\#(point.dropFirst())","auth":"\#(secret)"}"#,
        #"{"p256dh":"\#(point)","auth":"BTBZMqHH6r4Tts7J aSIgg"}"#, #"{"p256dh":"\#(point)==","auth":"\#(secret)"}"#,
        #"{"p256dh":null,"auth":null}"#,
    ])
    func rejectsInvalidKeys(keys: String) {
        #expect(throws: WebPushFault.badKeys) { try Subscription(text: Self.text(keys: keys)) }
    }

    /// A subscription may lack keys. Messages to it have no body (RFC 8030).
    @Test(arguments: [#"{"endpoint":"\#(endpoint)"}"#, text(keys: "{}"), text(keys: "null")])
    func acceptsSubscriptionWithoutKeys(text: String) throws {
        #expect(try Subscription(text: text).keys == nil)
    }

    @Test(arguments: [
        ("1795168800000", 1_795_168_800_000), ("1795168800000.5", 1_795_168_800_001), ("1e12", 1_000_000_000_000),
    ])
    func readsExpirationTime(text: String, milliseconds: Int64) throws {
        let subscription = try Subscription(text: Self.text(keys: "{}", rest: #""expirationTime":\#(text),"#))
        #expect(subscription.expiration == Timestamp(milliseconds: milliseconds))
    }

    @Test(arguments: ["null", #""soon""#, "1e400"])
    func ignoresUnusableExpirationTime(text: String) throws {
        #expect(try Subscription(text: Self.text(keys: "{}", rest: #""expirationTime":\#(text),"#)).expiration == nil)
    }
}
