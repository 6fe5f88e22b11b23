import Crypto
import PushModel

/// An address as it is stored in `martlet.device_tokens`. A short address is stored unchanged in the column `token`. A
/// long address is stored in the column `address`, and its hash in `token`, which is part of the primary key. The SQL
/// function `martlet.token_key` computes the same value for `token`.
///
/// A short address that looks like such a hash is stored like a long address, so that it can't be confused with a hash.
package struct FiledAddress: Sendable, Hashable {
    /// The longest address that is stored unchanged, in bytes of UTF-8. The longest device tokens of Apple and Firebase
    /// fit at present.
    package static let longestPlain = 200
    private static let prefix = "sha256:"

    package let token: String
    /// The complete address, or `nil` if `token` is the address.
    package let address: String?

    /// Creates the stored form of an address.
    /// - Parameter address: the address in canonical form.
    package init(_ address: String) {
        var text = address
        guard !text.withUTF8({ Self.isPlain(UnsafeRawBufferPointer($0)) }) else {
            (token, self.address) = (address, nil)
            return
        }
        (token, self.address) = (text.withUTF8 { Self.prefix + Base64URL.text(Array(SHA256.hash(data: $0))) }, address)
    }

    /// Returns whether an address is stored unchanged.
    package static func isPlain(_ address: UnsafeRawBufferPointer) -> Bool {
        address.count <= longestPlain
            && !(address.first == UInt8(ascii: "s") && address.starts(with: Self.prefix.utf8))
    }
}
