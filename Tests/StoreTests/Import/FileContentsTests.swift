import CredentialFormats
import PushModel
import Testing

/// The cost limit for opening a file, and the errors on a system without OpenSSL's legacy algorithms.
@Suite(.enabled(if: OpenSSL.isInstalled, OpenSSL.missing), SampleFiles.Made())
struct FileContentsTests {
    private func open(
        _ name: String, _ passphrase: String = "secret", rounds: Int = 10_000_000, algorithms: Algorithms = .shared
    ) throws -> FileContents {
        try FileContents(
            Array(try SampleFiles.made.get().data(name)), passphrase: Secret(passphrase.utf8), algorithms: algorithms,
            derivationRounds: rounds)
    }

    private static let tooMuch = FileProblem(
        "requires an unreasonable number of rounds to derive its key from the passphrase")

    // A .p12 file needs three derivations of 2048 rounds: for checksum, certificate and key. The cost of scrypt is
    // 16384 · 8 · 1.
    @Test(arguments: [
        ("modern.p12", "secret", 3 * 2048), ("keychain.p12", "secret", 3 * 2048), ("encrypted.der", "secret", 2048),
        ("pbes2.key", "secret", 2048), ("pbes1.key", "Schlüssel-鍵", 2048), ("scrypt.key", "Schlüssel-鍵", 131_072),
    ])
    func limitsKeyDerivationRounds(name: String, passphrase: String, rounds: Int) throws {
        #expect(throws: Self.tooMuch) { try open(name, passphrase, rounds: rounds - 1) }
        #expect(try open(name, passphrase, rounds: rounds).keys.count == 1)
    }

    @Test func rejectsKeychainFileWithoutLegacyAlgorithms() throws {
        let algorithms = Algorithms(legacy: false)
        #expect(
            throws: FileProblem(
                "uses RC2 encryption, and OpenSSL's legacy module is not installed: convert it with 'openssl pkcs12' elsewhere"
            )
        ) { try open("keychain.p12", algorithms: algorithms) }
        #expect(throws: FileProblem("the passphrase is wrong")) {
            try open("keychain.p12", "wrong", algorithms: algorithms)
        }
        #expect(try open("modern.p12", algorithms: algorithms).keys.count == 1)
    }

    @Test func readsBackCertificatesAndKeys() throws {
        let contents = try open("chain.p12")
        #expect(contents.certificates.count == 3)
        for certificate in contents.certificates {
            #expect(try FileContents(certificate.der, passphrase: nil).certificates == [certificate])
        }
        for key in contents.keys {
            #expect(try key.pem.withBytes { try FileContents($0, passphrase: nil) }.keys == [key])
            #expect(try key.der.withBytes { try FileContents($0, passphrase: nil) }.keys == [key])
        }
    }
}
