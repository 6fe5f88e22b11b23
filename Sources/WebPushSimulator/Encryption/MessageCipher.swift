package import Crypto
internal import Foundation

/// A function that decrypts messages in the same way as a browser. It also checks what RFC 8188 and RFC 8291 require of
/// the sender.
package enum MessageCipher {
    /// A problem with the body of a message.
    package struct Fault: Error, Hashable {
        package let problem: String
    }

    package struct Message {
        package let plaintext: [UInt8]
        package let salt: [UInt8]
        /// The public key of the sender, which is generated for each message.
        package let senderKey: [UInt8]
    }

    private static let headerBytes = 86, tagBytes = 16, keyBytes = 65, saltBytes = 16

    package static func open(
        _ body: [UInt8], with key: P256.KeyAgreement.PrivateKey, _ authenticationSecret: [UInt8]
    ) throws(Fault) -> Message {
        guard body.count > headerBytes + tagBytes else { throw Fault(problem: "the body is too short for a header") }
        let salt = Array(body.prefix(saltBytes)), senderKey = Array(body[21..<headerBytes])
        guard body[20] == keyBytes else { throw Fault(problem: "the key id does not have 65 bytes") }
        guard let sender = try? P256.KeyAgreement.PublicKey(x963Representation: senderKey), senderKey[0] == 0x04 else {
            throw Fault(problem: "the key id is not a point on P-256")
        }
        let record = Array(body[headerBytes...])
        let recordSize = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
        // A message has one record, so the record size must be greater than the record (RFC 8291, section 4).
        guard recordSize > record.count else { throw Fault(problem: "the record size is not greater than the record") }
        let keys = try contentKeys(of: key, sender, senderKey, authenticationSecret, salt)
        guard
            let box = try? AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: keys.nonce), ciphertext: record.dropLast(tagBytes),
                tag: record.suffix(tagBytes)),
            let padded = try? AES.GCM.open(box, using: keys.key)
        else { throw Fault(problem: "the body cannot be decrypted with the subscription's keys") }
        guard let end = padded.lastIndex(where: { $0 != 0 }), padded[end] == 0x02 else {
            throw Fault(problem: "the padding delimiter is not 2")
        }
        return Message(plaintext: Array(padded[..<end]), salt: salt, senderKey: senderKey)
    }

    private static func contentKeys(
        of key: P256.KeyAgreement.PrivateKey, _ sender: P256.KeyAgreement.PublicKey, _ senderKey: [UInt8],
        _ authenticationSecret: [UInt8], _ salt: [UInt8]
    ) throws(Fault) -> (key: SymmetricKey, nonce: [UInt8]) {
        guard let shared = try? key.sharedSecretFromKeyAgreement(with: sender) else {
            throw Fault(problem: "the key agreement failed")
        }
        let info = Array("WebPush: info\0".utf8) + Array(key.publicKey.x963Representation) + senderKey
        let input = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: authenticationSecret, sharedInfo: info, outputByteCount: 32)
        let extracted = HKDF<SHA256>.extract(inputKeyMaterial: input, salt: salt)
        let contentKey = HKDF<SHA256>.expand(
            pseudoRandomKey: extracted, info: Array("Content-Encoding: aes128gcm\0".utf8), outputByteCount: 16)
        let nonce = HKDF<SHA256>.expand(
            pseudoRandomKey: extracted, info: Array("Content-Encoding: nonce\0".utf8), outputByteCount: 12)
        return (contentKey, nonce.withUnsafeBytes { Array($0) })
    }
}
