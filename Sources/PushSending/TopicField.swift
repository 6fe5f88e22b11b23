internal import Crypto
import PushModel

/// The value of `topic` (RFC 8030, section 5.4), by which a message replaces an earlier one that was not delivered yet.
package enum TopicField {
    /// RFC 8030: at most so many characters of base64url.
    private static let maximumBytes = 32

    /// The collapse id itself where it can be one, else its hash: for the same app and id always the same.
    package static func value(collapseID: String, app: String) -> String {
        isTopic(collapseID.utf8) ? collapseID : hash(collapseID, app)
    }

    /// Apple refuses what it can't decode: a length of 1 modulo 4.
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
