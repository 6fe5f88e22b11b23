internal import Crypto
import PushModel

/// The value of the header field `topic` (RFC 8030, section 5.4). A message with a topic replaces an earlier message
/// with the same topic that has not been delivered yet.
package enum TopicField {
    /// The maximum number of base64url characters (RFC 8030).
    private static let maximumBytes = 32

    /// Returns the collapse id if it is a valid topic, and otherwise its hash. The result is always the same for the
    /// same app and id.
    package static func value(collapseID: String, app: String) -> String {
        isTopic(collapseID.utf8) ? collapseID : hash(collapseID, app)
    }

    /// Returns whether a string is a valid topic. Apple refuses base64url that cannot be decoded because its length is
    /// 1 modulo 4.
    private static func isTopic(_ text: String.UTF8View) -> Bool {
        (1...maximumBytes).contains(text.count) && text.count % 4 != 1
            && text.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private static func hash(_ collapseID: String, _ app: String) -> String {
        String(
            Base64URL.text(SHA256.hash(data: Array(app.utf8) + [0] + Array(collapseID.utf8)).map(\.self))
                .prefix(maximumBytes))
    }
}
