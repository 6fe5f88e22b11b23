import Crypto
import PushModel

/// How `martlet.device_tokens` files an address: a short one in the column `token`, as it is; a long one whole in the column
/// `address`, and in `token`, which the primary key has, its hash. In SQL, `martlet.token_key` says the same of `token`.
///
/// An address that looks like such a hash is filed as a long one, so none is taken for another.
package struct FiledAddress: Sendable, Hashable {
    /// In UTF-8. The longest of Apple's device tokens, and each of Firebase's that is seen nowadays, is filed as it is.
    package static let longestPlain = 200
    private static let prefix = "sha256:"

    package let token: String
    /// nil: `token` is the address.
    package let address: String?

    /// - Parameter address: in its one form.
    package init(_ address: String) {
        var text = address
        guard !text.withUTF8({ Self.isPlain(UnsafeRawBufferPointer($0)) }) else {
            (token, self.address) = (address, nil)
            return
        }
        (token, self.address) = (text.withUTF8 { Self.prefix + Base64URL.text(Array(SHA256.hash(data: $0))) }, address)
    }

    /// Filed as it is.
    package static func isPlain(_ address: UnsafeRawBufferPointer) -> Bool {
        address.count <= longestPlain
            && !(address.first == UInt8(ascii: "s") && address.starts(with: Self.prefix.utf8))
    }
}
