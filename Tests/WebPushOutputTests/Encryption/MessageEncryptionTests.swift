import Crypto
import PushModel
import Testing
import WebPushOutput

@Suite struct MessageEncryptionTests {
    private static let receiver = try? ReceiverKeys(
        point: Base64URL.bytes(RFC8291.receiverPoint) ?? [], secret: Base64URL.bytes(RFC8291.secret) ?? [])

    private func decryption() throws -> MessageDecryption {
        MessageDecryption(
            key: try .init(rawRepresentation: try #require(Base64URL.bytes(RFC8291.receiverKey))),
            secret: try #require(Base64URL.bytes(RFC8291.secret)))
    }

    @Test func encryptsExampleOfRFC8291() throws {
        var encryption = MessageEncryption()
        let sender = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: try #require(Base64URL.bytes(RFC8291.senderKey)))
        let body = try #require(Base64URL.bytes(RFC8291.salt)).withUnsafeBytes { salt in
            try encryption.body(
                MessageEncryption.record(of: RFC8291.message.utf8), for: try #require(Self.receiver), sender: sender,
                salt: salt)
        }
        #expect(Base64URL.text(body) == RFC8291.body)
        #expect(try decryption().message(of: body) == Array(RFC8291.message.utf8))
    }

    @Test(arguments: [0, 1, 15, 16, 200, 3_992, 3_993])
    func encryptsMessagesThatBrowserCanDecrypt(count: Int) throws {
        var encryption = MessageEncryption()
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let record = MessageEncryption.record(of: message)
        let first = try encryption.body(record, for: try #require(Self.receiver))
        let second = try encryption.body(record, for: try #require(Self.receiver))
        #expect(first.count == count + 103)
        #expect(try decryption().message(of: first) == message)
        #expect(try decryption().message(of: second) == message)
        #expect(first[..<16] != second[..<16], "each message needs a new salt")
        #expect(first[21..<86] != second[21..<86], "each message needs a new key pair")
    }

    @Test func limitsMessagesToBodyOf4096Bytes() {
        #expect(MessageEncryption.maximumMessageBytes == 3_993)
        #expect(MessageEncryption.maximumMessageBytes + 103 == 4_096)
    }

    @Test func generatesDifferentKeys() {
        let keys = (0..<100).map { _ in Array(SenderKey.fresh().rawRepresentation) }
        #expect(Set(keys).count == 100)
    }
}
