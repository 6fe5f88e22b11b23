import Crypto
import Foundation
import Testing

/// The leak search finds planted secrets in every form, and nothing else.
@Suite struct LeakSearchTests {
    private let key = P256.Signing.PrivateKey()

    private var search: LeakSearch { LeakSearch(KnownSecret.key("key", scalar: key.rawRepresentation)) }

    @Test func findsKeyInEveryForm() throws {
        let raw = Array(key.rawRepresentation), der = Array(key.derRepresentation)
        func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
        let planted: [String: [UInt8]] = [
            "PEM": Array(key.pemRepresentation.utf8),
            "PEM in one line": Array(key.pemRepresentation.replacing("\n", with: "").utf8),
            "base64 of the scalar": Array(Data(raw).base64EncodedString().utf8),
            "base64 of a longer secret": Array(Data([1] + der).base64EncodedString().utf8),
            "base64 of a much longer secret": Array(Data([1, 2] + der + der).base64EncodedString().utf8),

            "bytea": Array("\\x\(hex(der))".utf8), "HEX": Array(hex(der).uppercased().utf8),
            "an array": Array("\(der)".utf8), "bytes": der,
        ]
        for (name, text) in planted {
            #expect(!search.leaks(in: Array("a log line ".utf8) + text + Array(" and on".utf8)).isEmpty, "\(name)")
        }
    }

    @Test func ignoresOtherKeysAndPublicKey() {
        let other = P256.Signing.PrivateKey()
        let text = other.pemRepresentation + key.publicKey.pemRepresentation + "\(Array(other.rawRepresentation))"
        #expect(search.leaks(in: text.utf8) == [])
    }

    @Test func findsOnlyCompleteDeviceTokens() {
        let token = Token.random()
        #expect(deviceTokens(of: [token], in: "token=\(token.uppercased()) x".utf8) == [token])
        #expect(deviceTokens(of: [token], in: "abc\(token)".utf8) == [token])
        #expect(deviceTokens(of: [token], in: "\(token.prefix(63)) \(Token.random())".utf8) == [])
    }

    @Test func findsWebTokens() {
        let token = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJURUFNMDAwMDAxIn0.c2lnbmF0dXJl"
        #expect(webTokens(in: "bearer \(token), and on").count == 1)
        #expect(webTokens(in: "eyJhbGciOiJFUzI1NiJ9 alone") == [])
    }
}
