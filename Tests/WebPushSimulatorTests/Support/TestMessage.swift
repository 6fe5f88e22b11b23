import Crypto
import Foundation
import WebPushSimulator

/// A message that a sender encrypts. Tests can make every part of it invalid.
struct TestMessage {
    var plaintext = Array("hello".utf8)
    var salt = (0..<16).map { _ in UInt8.random(in: 0...255) }
    var key = P256.KeyAgreement.PrivateKey()
    var delimiter: UInt8 = 2
    var padding: [UInt8] = []
    var after: [UInt8] = []
    /// The record size in the header, or `nil` for 4096.
    var recordSize: Int?
    /// The key id in the header, or `nil` for the public key.
    var keyID: [UInt8]?

    func body(for subscription: SubscriptionJSON) throws -> [UInt8] {
        let browser = UnpaddedBase64.decode(subscription.keys.p256dh) ?? []
        let authentication = UnpaddedBase64.decode(subscription.keys.auth) ?? []
        let own = Array(key.publicKey.x963Representation)
        let shared = try key.sharedSecretFromKeyAgreement(with: .init(x963Representation: browser))
        let input = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: authentication, sharedInfo: Array("WebPush: info\0".utf8) + browser + own,
            outputByteCount: 32)
        func derive(_ info: String, _ count: Int) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: input, salt: salt, info: Array("Content-Encoding: \(info)\0".utf8),
                outputByteCount: count)
        }
        let nonce = try derive("nonce", 12).withUnsafeBytes { try AES.GCM.Nonce(data: $0) }
        let box = try AES.GCM.seal(
            plaintext + [delimiter] + padding, using: derive("aes128gcm", 16), nonce: nonce)
        let id = keyID ?? own
        let size = UInt32(recordSize ?? 4_096)
        return salt + withUnsafeBytes(of: size.bigEndian, Array.init) + [UInt8(id.count)] + id + Array(box.ciphertext)
            + Array(box.tag) + after
    }

    /// The size of this message's record, in bytes.
    var recordBytes: Int { plaintext.count + 1 + padding.count + 16 }
}
