import PushModel
import Store
import Testing

@Suite struct SealingTests {
    private let row = SealedRow(table: "martlet.credentials", id: "1", kind: "token")
    private let secret = Secret(Array("a private key".utf8))

    @Test func sealsAndOpensSecret() throws {
        let keyring = try MasterKeyring.sample()
        let sealed = try keyring.seal(secret, for: row)
        #expect(sealed.masterKeyID == "2026-11")
        #expect(try keyring.open(sealed, for: row) == secret)
    }

    @Test func sealsDifferentlyEachTimeAndHidesSecret() throws {
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
    func rejectsSecretOfAnotherRow(other: SealedRow) throws {
        let keyring = try MasterKeyring.sample()
        let sealed = try keyring.seal(secret, for: row)
        let error = try #require(throws: StoreError.self) { try keyring.open(sealed, for: other) }
        #expect(error.code == .sealBroken)
        #expect(error.message.contains("\(other.table) row \(other.id)"), "\(error)")
    }

    /// Each list names another team or another key, or lacks a name.
    @Test(arguments: [["TEAM000002", "KEY0000001"], ["TEAM000001", "KEY0000002"], ["TEAM000001"], []])
    func rejectsSecretUnderOtherNames(names: [String]) throws {
        let keyring = try MasterKeyring.sample()
        func row(_ names: [String]) -> SealedRow { SealedRow(table: "t", id: "1", kind: "token", names: names) }
        let sealed = try keyring.seal(secret, for: row(["TEAM000001", "KEY0000001"]))
        #expect(try keyring.open(sealed, for: row(["TEAM000001", "KEY0000001"])) == secret)
        let error = #expect(throws: StoreError.self) { try keyring.open(sealed, for: row(names)) }
        #expect(error?.code == .sealBroken)
    }

    @Test func usesOneDataKeyPerSecret() throws {
        let keyring = try MasterKeyring.sample()
        let (one, two) = (try keyring.seal(secret, for: row), try keyring.seal(secret, for: row))
        // The sealed bytes are the format, then nonce, 32 bytes and tag of the data key, then nonce, ciphertext and tag
        // of the secret.
        #expect(one.bytes.first == 1 && one.bytes.count == 1 + 60 + 28 + secret.count)
        let mixed = one.bytes.prefix(61) + two.bytes.dropFirst(61)
        let error = #expect(throws: StoreError.self) {
            try keyring.open(SealedSecret(bytes: Array(mixed), masterKeyID: "2026-11"), for: row)
        }
        #expect(error?.code == .sealBroken)
    }

    /// The same key has two ids. The id is sealed together with the secret, so the other id must not open it.
    @Test func bindsSecretToIDOfMasterKey() throws {
        let key = String(repeating: "A", count: 43) + "="
        let keyring = try MasterKeyring(text: "one \(key)\ntwo \(key)", source: "sample")
        let sealed = try keyring.seal(secret, for: row)
        let error = #expect(throws: StoreError.self) {
            try keyring.open(SealedSecret(bytes: sealed.bytes, masterKeyID: "two"), for: row)
        }
        #expect(error?.code == .sealBroken)
    }

    @Test func detectsEveryFlippedBit() throws {
        let keyring = try MasterKeyring.sample()
        let sealed = try keyring.seal(secret, for: row)
        for bit in 0..<sealed.bytes.count * 8 {
            var bytes = sealed.bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            let error = #expect(throws: StoreError.self, "bit \(bit)") {
                try keyring.open(SealedSecret(bytes: bytes, masterKeyID: sealed.masterKeyID), for: row)
            }
            #expect(error?.code == .sealBroken)
        }
    }

    @Test(arguments: 0..<102)
    func rejectsTruncatedSecret(length: Int) throws {
        let keyring = try MasterKeyring.sample()
        let sealed = try keyring.seal(secret, for: row)
        #expect(throws: StoreError.self) {
            try keyring.open(SealedSecret(bytes: Array(sealed.bytes.prefix(length)), masterKeyID: "2026-11"), for: row)
        }
    }

    @Test func namesMissingMasterKey() throws {
        let sealed = try MasterKeyring.sample("old").seal(secret, for: row)
        let error = try #require(throws: StoreError.self) {
            try MasterKeyring.sample("new").open(sealed, for: row)
        }
        #expect(error.code == .missingMasterKey)
        #expect(
            error.message == "martlet.credentials row 1 is sealed under master key old, which is not in the keyring")
    }

    @Test func rejectsAnotherKeyOfSameID() throws {
        let sealed = try MasterKeyring.sample(fill: "A").seal(secret, for: row)
        let error = try #require(throws: StoreError.self) {
            try MasterKeyring(text: "2026-11 \(String(repeating: "B", count: 42))A=", source: "x").open(
                sealed, for: row)
        }
        #expect(error.code == .sealBroken)
        #expect(error.message.contains("cannot be opened with master key 2026-11"), "\(error)")
    }
}
