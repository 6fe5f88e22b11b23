import Crypto
import Foundation
import WebPushOutput

/// The decryption of a body as in a browser. It uses the library's HKDF and shares no code with the tested encryption.
struct MessageDecryption {
    struct Malformed: Error {
        let problem: String
    }

    let key: P256.KeyAgreement.PrivateKey
    let secret: [UInt8]

    func message(of body: [UInt8]) throws -> [UInt8] {
        guard body.count > 86 else { throw Malformed(problem: "\(body.count) bytes") }
        let salt = Data(body[..<16])
        let recordSize = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
        guard recordSize > body.count - 86 else { throw Malformed(problem: "record size \(recordSize)") }
        guard body[20] == 65 else { throw Malformed(problem: "key of \(body[20]) bytes") }
        let point = Data(body[21..<86])
        let sender = try P256.KeyAgreement.PublicKey(x963Representation: point)
        let info = Data("WebPush: info\0".utf8) + key.publicKey.x963Representation + point
        let input = try key.sharedSecretFromKeyAgreement(with: sender).hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: secret, sharedInfo: info, outputByteCount: 32)
        let contentKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: input, salt: salt, info: Data("Content-Encoding: aes128gcm\0".utf8), outputByteCount: 16)
        let nonce = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: input, salt: salt, info: Data("Content-Encoding: nonce\0".utf8), outputByteCount: 12)
        let box = try AES.GCM.SealedBox(
            nonce: try nonce.withUnsafeBytes { try AES.GCM.Nonce(data: $0) }, ciphertext: body[86..<body.count - 16],
            tag: body[(body.count - 16)...])
        let record = try AES.GCM.open(box, using: contentKey)
        guard record.last == 2 else { throw Malformed(problem: "record ends with \(record.last ?? 0)") }
        return Array(record.dropLast())
    }
}
