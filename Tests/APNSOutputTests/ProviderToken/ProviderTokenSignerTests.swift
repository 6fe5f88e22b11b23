import APNSOutput
import Crypto
import Foundation
import PushModel
import Testing

@Suite struct ProviderTokenSignerTests {
    private let key = P256.Signing.PrivateKey()
    private let moment = Timestamp(milliseconds: 1_795_168_800_999)

    private func parts() throws -> [String] {
        let signer = try ProviderTokenSigner(
            privateKeyPEM: Secret(key.pemRepresentation.utf8), keyID: "ABC123DEFG", team: "TEAM123456")
        let token = try signer.sign(issuedAt: moment)
        return token.withBytes { String(decoding: $0, as: UTF8.self) }.components(separatedBy: ".")
    }

    private func decode(_ base64URL: String) throws -> Data {
        #expect(!base64URL.contains { "+/=".contains($0) }, "not base64url without padding: \(base64URL)")
        let base64 = base64URL.replacing("-", with: "+").replacing("_", with: "/")
        return try #require(
            Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)), "\(base64URL)")
    }

    @Test func writesHeaderAndClaimsThatAppleRequires() throws {
        let parts = try parts()
        #expect(parts.count == 3)
        #expect(String(decoding: try decode(parts[0]), as: UTF8.self) == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
        #expect(
            String(decoding: try decode(parts[1]), as: UTF8.self) == #"{"iat":1795168800,"iss":"TEAM123456"}"#,
            "iat must be in seconds")
    }

    /// Signs 100 times, because a defect that depends on a leading byte affects only about one of 256 signatures.
    @Test func producesSignaturesThatPublicKeyVerifies() throws {
        for _ in 0..<100 {
            let parts = try parts()
            let raw = try decode(parts[2])
            #expect(raw.count == 64, "the signature must be R and S, not DER")
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: raw)
            #expect(key.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
            #expect(!key.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])x".utf8)))
        }
    }

    @Test(arguments: ["", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----", "not a key"])
    func rejectsInvalidPrivateKey(pem: String) {
        #expect(throws: (any Error).self) {
            try ProviderTokenSigner(privateKeyPEM: Secret(pem.utf8), keyID: "K", team: "T")
        }
    }

    @Test func rejectsKeyOfAnotherCurve() {
        let pem = P384.Signing.PrivateKey().pemRepresentation
        #expect(throws: (any Error).self) {
            try ProviderTokenSigner(privateKeyPEM: Secret(pem.utf8), keyID: "K", team: "T")
        }
    }
}
