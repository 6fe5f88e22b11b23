import CredentialStore
import PushModel
import Testing

@Suite struct SealingTests {
    private let row = SealedRow(table: "martlet.credentials", id: "1", kind: "token")
    private let secret = Secret(Array("a private key".utf8))

    @Test func opensWhatItSealed() throws {
        let keyring = try MasterKeyring.sample()
        let sealed = try keyring.seal(secret, for: row)
        #expect(sealed.masterKeyID == "2026-11")
        #expect(try keyring.open(sealed, for: row) == secret)
    }

    @Test func sealingTwiceLooksDifferentAndHidesTheSecret() throws {
        let keyring = try MasterKeyring.sample()
        let sealed = try keyring.seal(secret, for: row)
        #expect(try keyring.seal(secret, for: row) != sealed)
        #expect(!String(decoding: sealed.bytes, as: UTF8.self).contains("private"))
    }

    @Test(arguments: [
        SealedRow(table: "martlet.credentials", id: "2", kind: "token"),
        SealedRow(table: "martlet.credentials", id: "1", kind: "certificate"),
        SealedRow(table: "martlet.provider_tokens", id: "1", kind: "token"),
    ])
    func doesNotOpenInAnotherRow(other: SealedRow) throws {
        let keyring = try MasterKeyring.sample()
        let sealed = try keyring.seal(secret, for: row)
        let error = try #require(throws: CredentialStoreError.self) { try keyring.open(sealed, for: other) }
        #expect(error.code == .sealBroken)
        #expect(error.message.contains("\(other.table) row \(other.id)"), "\(error)")
    }

    @Test func everyFlippedBitIsNoticed() throws {
        let keyring = try MasterKeyring.sample()
        let sealed = try keyring.seal(secret, for: row)
        for bit in 0..<sealed.bytes.count * 8 {
            var bytes = sealed.bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            let error = #expect(throws: CredentialStoreError.self, "bit \(bit)") {
                try keyring.open(SealedSecret(bytes: bytes, masterKeyID: sealed.masterKeyID), for: row)
            }
            #expect(error?.code == .sealBroken)
        }
    }

    @Test(arguments: 0..<30)
    func whatIsCutShortIsNoticed(length: Int) throws {
        let keyring = try MasterKeyring.sample()
        let sealed = try keyring.seal(secret, for: row)
        #expect(throws: CredentialStoreError.self) {
            try keyring.open(SealedSecret(bytes: Array(sealed.bytes.prefix(length)), masterKeyID: "2026-11"), for: row)
        }
    }

    @Test func aMissingMasterKeyIsNamed() throws {
        let sealed = try MasterKeyring.sample("old").seal(secret, for: row)
        let error = try #require(throws: CredentialStoreError.self) {
            try MasterKeyring.sample("new").open(sealed, for: row)
        }
        #expect(error.code == .missingMasterKey)
        #expect(
            error.message == "martlet.credentials row 1 is sealed under master key old, which is not in the keyring")
    }

    @Test func anotherKeyOfTheSameIDIsNotMistakenForIt() throws {
        let sealed = try MasterKeyring.sample(fill: "A").seal(secret, for: row)
        let error = try #require(throws: CredentialStoreError.self) {
            try MasterKeyring(text: "2026-11 \(String(repeating: "B", count: 42))A=", source: "x").open(
                sealed, for: row)
        }
        #expect(error.code == .sealBroken)
        #expect(error.message.contains("another key of the same id"), "\(error)")
    }
}
