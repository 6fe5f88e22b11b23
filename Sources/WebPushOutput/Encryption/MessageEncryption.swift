package import Crypto
import Foundation

/// The encryption of messages for subscriptions (RFC 8291), with the content coding `aes128gcm` (RFC 8188). It reuses
/// its memory for each message.
package struct MessageEncryption: ~Copyable {
    /// The size of a body's header in bytes: the salt, the record size, the length of the sender's public key, and that
    /// key.
    package static let headerBytes = saltBytes + 4 + 1 + ReceiverKeys.pointBytes
    package static let saltBytes = 16
    package static let tagBytes = 16
    /// The maximum size of a message before encryption, in bytes. Services must accept bodies of 4,096 bytes and may
    /// refuse longer ones (RFC 8030, section 7.2).
    package static let maximumMessageBytes = 4_096 - headerBytes - 1 - tagBytes
    /// The record size that the header states, in bytes. RFC 8291, section 4 requires that it exceeds the length of the
    /// record. The record of the longest message has 4,010 bytes.
    private static let recordSize: UInt32 = 4_096

    /// The info of the first derivation step: `WebPush: info`, 0, the receiver's point, the sender's point, 1. The
    /// final 1 is HKDF's block counter. Every step needs only one block (RFC 5869, section 2.3).
    private let keyInfo: UnsafeMutableRawBufferPointer
    private static let keyInfoLabel = Array("WebPush: info\0".utf8)
    private static let contentKeyInfo = Array("Content-Encoding: aes128gcm\0\u{01}".utf8)
    private static let nonceInfo = Array("Content-Encoding: nonce\0\u{01}".utf8)
    private var authenticator: MessageAuthenticator

    package init() {
        keyInfo = .allocate(byteCount: Self.keyInfoLabel.count + 2 * ReceiverKeys.pointBytes + 1, alignment: 8)
        keyInfo.copyBytes(from: Self.keyInfoLabel)
        keyInfo[keyInfo.count - 1] = 1
        authenticator = MessageAuthenticator(longest: keyInfo.count)
    }

    deinit { keyInfo.deallocate() }

    /// Returns the encrypted body of a request. It uses a new key pair and a new salt.
    ///
    /// - Parameter record: the plain text that ``record(of:)`` returned.
    package mutating func body(_ record: [UInt8], for receiver: ReceiverKeys) throws -> [UInt8] {
        try withUnsafeTemporaryAllocation(byteCount: Self.saltBytes, alignment: 8) { salt in
            salt.fillAtRandom()
            return try body(record, for: receiver, sender: SenderKey.fresh(), salt: UnsafeRawBufferPointer(salt))
        }
    }

    /// Returns the plain text to encrypt: the message followed by the delimiter of the last record, without padding.
    ///
    /// - Parameter message: a message of at most ``maximumMessageBytes``.
    package static func record(of message: some Collection<UInt8>) -> [UInt8] {
        var record: [UInt8] = []
        record.reserveCapacity(message.count + 1)
        record.append(contentsOf: message)
        record.append(2)
        return record
    }

    package mutating func body(
        _ record: [UInt8], for receiver: ReceiverKeys, sender: P256.KeyAgreement.PrivateKey,
        salt: UnsafeRawBufferPointer
    ) throws -> [UInt8] {
        let point = sender.publicKey.x963Representation
        let (key, nonce) = try contentKey(for: receiver, sender: sender, point: point, salt: salt)
        let sealed = try AES.GCM.seal(record, using: key, nonce: nonce)
        return [UInt8](unsafeUninitializedCapacity: Self.headerBytes + record.count + Self.tagBytes) { body, count in
            func append(_ bytes: UnsafeRawBufferPointer) {
                UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(body)[count...])
                    .copyMemory(from: bytes)
                count += bytes.count
            }
            append(salt)
            withUnsafeBytes(of: Self.recordSize.bigEndian) { append($0) }
            withUnsafeBytes(of: UInt8(point.count)) { append($0) }
            point.withUnsafeBytes { append($0) }
            sealed.ciphertext.withUnsafeBytes { append($0) }
            sealed.tag.withUnsafeBytes { append($0) }
        }
    }

    /// Derives the content key and the nonce (RFC 8291, section 3.4).
    private mutating func contentKey(
        for receiver: ReceiverKeys, sender: P256.KeyAgreement.PrivateKey, point: Data, salt: UnsafeRawBufferPointer
    ) throws -> (SymmetricKey, AES.GCM.Nonce) {
        let shared = try sender.sharedSecretFromKeyAgreement(with: receiver.publicKey)
        let points = UnsafeMutableRawBufferPointer(rebasing: keyInfo[Self.keyInfoLabel.count...])
        points.copyBytes(from: receiver.point)
        UnsafeMutableRawBufferPointer(rebasing: points[receiver.point.count...]).copyBytes(from: point)
        let agreed = receiver.secret.withUnsafeBytes { secret in
            shared.withUnsafeBytes { authenticator.code($0, key: secret) }
        }
        let input = agreed.withUnsafeBytes { authenticator.code(UnsafeRawBufferPointer(keyInfo), key: $0) }
        let pseudoRandomKey = input.withUnsafeBytes { authenticator.code($0, key: salt) }
        return try pseudoRandomKey.withUnsafeBytes { key in
            let contentKey = Self.contentKeyInfo.withUnsafeBytes { authenticator.code($0, key: key) }
            let nonce = Self.nonceInfo.withUnsafeBytes { authenticator.code($0, key: key) }
            return (
                contentKey.withUnsafeBytes { SymmetricKey(data: $0.prefix(16)) },
                try nonce.withUnsafeBytes { try AES.GCM.Nonce(data: $0.prefix(12)) }
            )
        }
    }
}
