import Crypto
import PushModel
import Testing
import WebPushOutput

@Suite struct VAPIDKeyReaderTests {
    private static let key = P256.Signing.PrivateKey()
    private static let raw = Base64URL.text(key.rawRepresentation)
    private static let publicKey = Base64URL.text(key.publicKey.x963Representation)
    private static let subject = "mailto:push@yourdomain.com"

    private func read(_ text: String, subject: String? = subject) throws(CredentialFault) -> VAPIDKey {
        try VAPIDKeyReader(passphrase: nil, subject: subject).read(
            [CredentialFile(name: "vapid.txt", contents: Secret(text.utf8))])
    }

    @Test(arguments: [
        raw, raw + "\n", "  \(raw)=\r\n", raw.replacing("-", with: "+").replacing("_", with: "/"),
        key.pemRepresentation, "Some text before\n" + key.pemRepresentation,
        #"{"publicKey":"\#(publicKey)","privateKey":"\#(raw)"}"#, #"{"privateKey":"\#(raw)"}"#,
    ])
    func readsKeyInEveryForm(text: String) throws {
        let read = try read(text)
        #expect(read.publicKeyText == Self.publicKey)
        #expect(read.subject == Self.subject)
    }

    @Test func readsSubjectFromFile() throws {
        let text = #"{"privateKey":"\#(Self.raw)","subject":"https://yourdomain.com/a"}"#
        #expect(try read(text, subject: nil).subject == "https://yourdomain.com/a")
        #expect(try read(text).subject == Self.subject)
    }

    @Test(
        arguments: [
            (publicKey, "vapid.txt: is a public key: import the private key"),
            (String(raw.dropLast(4)), "vapid.txt: is not a P-256 private key: it has 29 bytes in base64 instead of 32"),
            ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "vapid.txt: is not a P-256 private key"),
            (key.publicKey.pemRepresentation, "vapid.txt: is a public key: import the private key"),
            (P384.Signing.PrivateKey().pemRepresentation, "vapid.txt: is a key for"),
            (#"{"privateKey":7}"#, "vapid.txt: is JSON without a privateKey as base64url"),
            (#"{"publicKey":"BA","privateKey":"\#(raw)"}"#, "vapid.txt: the public key does not belong"),
            ("", "vapid.txt: is empty"),
        ])
    func rejectsInvalidKeys(text: String, problem: String) {
        let fault = #expect(throws: CredentialFault.self) { try read(text) }
        #expect(fault?.description.hasPrefix(problem) == true, "\(fault?.description ?? "")")
    }

    @Test func requiresValidSubject() {
        let missing = #expect(throws: CredentialFault.self) { try read(Self.raw, subject: nil) }
        #expect(missing?.description.hasPrefix("--subject is required") == true)
        let bad = #expect(throws: CredentialFault.self) { try read(Self.raw, subject: "mailto:me@localhost") }
        #expect(bad?.description.hasPrefix("--subject must name a public internet host") == true)
        let reserved = #expect(throws: CredentialFault.self) {
            try read(#"{"privateKey":"\#(Self.raw)","subject":"mailto:push@example.org"}"#, subject: nil)
        }
        #expect(reserved?.description.hasPrefix("--subject names example.org, a reserved domain") == true)
    }
}
