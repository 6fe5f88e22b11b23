import PushModel
import Testing
import WebhookOutput

@Suite struct WebhookURLTests {
    /// The strings contain a colon and a space in place of `://` before IP addresses, so that these do not look like
    /// URLs to connect to.
    @Test(arguments: [
        ("https://hooks.example.com/push?app=1", "hooks.example.com:443", "/push?app=1", "hooks.example.com"),
        ("HTTPS://Hooks.Example.COM", "hooks.example.com:443", "/", "hooks.example.com"),
        ("https://hooks.example.com:443/", "hooks.example.com:443", "/", "hooks.example.com"),
        ("https://hooks.example.com:8443?a=b", "hooks.example.com:8443", "/?a=b", "hooks.example.com:8443"),
        ("http://receiver/in", "receiver:80", "/in", "receiver"),
        ("http://receiver:443/in", "receiver:443", "/in", "receiver:443"),
        ("https: 192.0.2.1/", "192.0.2.1:443", "/", "192.0.2.1"),
        ("https: [2001:db8::1]/", "[2001:db8::1]:443", "/", "[2001:db8::1]"),
        ("http: [2001:db8::1]:81/", "[2001:db8::1]:81", "/", "[2001:db8::1]:81"),
    ])
    func parsesValidURLs(text: String, endpoint: String, path: String, authority: String) throws {
        let url = try WebhookURL(text.replacing(": ", with: "://"))
        #expect("\(url.endpoint)" == endpoint)
        #expect(url.path == path)
        #expect(url.authority == authority)
        #expect(url.isPlain == text.hasPrefix("http:"))
    }

    @Test(arguments: [
        "", "https://", "https:///path", "https:hooks.example.com", "//hooks.example.com", "hooks.example.com",
        "ftp://hooks.example.com/", "file:///etc/passwd", "https://user@hooks.example.com/",
        "https://user:password@hooks.example.com/", "https://hooks.example.com@127.0.0.1/",
        "https://hooks.example.com\\@127.0.0.1/", "https://hooks.example.com#@127.0.0.1/",
        "https://hooks.example.com/#a",
        "https://hooks.example.com/a b", "https://hooks.example.com/\r\nhost: other", "https://hooks.example.com/\u{0}",
        "https://höoks.example.com/", "https://hooks.example.com:0/", "https://hooks.example.com:65536/",
        "https://hooks.example.com:/", "https://hooks.example.com:+443/", "https://hooks.example.com:443:443/",
        "https: 127.1/", "https: 2130706433/", "https: 0x7f000001/", "https: 0x7f.1/", "https: 017700000001/",
        "https: 127.0.0.1./", "https: 127.0.0.0x1/", "https: 1.2.3.4.5/", "https: 256.1.1.1/",
        "https: localhost./",
        "https://.example.com/", "https://a..example.com/", "https://[::1/", "https://::1/", "https://[::1]a/",
        "https://[127.0.0.1]/", "https://[fe80::1%25eth0]/", "https://%6cocalhost/", "https://a%00b.example.com/",
        "https://a*b.example.com/", "https://hooks.example.com:443@localhost/",
    ])
    func rejectsInvalidURLs(text: String) {
        let fault = #expect(throws: WebhookFault.self) { try WebhookURL(text.replacing(": ", with: "://")) }
        #expect(fault?.description.contains("example") == false, "the error must not repeat the URL")
    }
}

@Suite struct WebhookCredentialsTests {
    private static let secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"]
    private let credentials = WebhookCredentials(output: "webhook")

    private func read(_ json: String, account: String? = "crm") throws -> NewCredential {
        var details = CredentialDetails()
        details.account = account
        let file = CredentialFile(name: "hook.json", contents: Secret(json.utf8))
        return try credentials.read([file], details, now: Timestamp(seconds: 0))
    }

    @Test func sealsFileInCanonicalForm() throws {
        let new = try read(
            #"{"secrets": ["\#(Self.secrets[0])", "\#(Self.secrets[1])"], "url": "https://hooks.example.com/x"}"#)
        #expect(new.account == "crm")
        #expect(new.label == "hooks.example.com")
        #expect(new.environments == [.production])
        #expect(new.shown.isEmpty)
        guard case .secret(let sealed) = new.kind else { throw WebhookFault("the credential is not a secret") }
        let text = sealed.withBytes { String(decoding: $0, as: UTF8.self) }
        #expect(
            text == #"{"url":"https://hooks.example.com/x","secrets":["\#(Self.secrets[0])","\#(Self.secrets[1])"]}"#)
        #expect(try WebhookTarget(json: sealed).secrets.map(\.text) == Self.secrets)
        #expect(try WebhookTarget(json: sealed).fingerprint == new.fingerprint)
        #expect(new.fingerprint.count == 64)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"url": "https://hooks.example.com/"}"#,
        #"{"url": "https://hooks.example.com/", "secrets": []}"#,
        #"{"url": "https://hooks.example.com/", "secrets": ["secret"]}"#,
        #"{"url": "https://10/", "secrets": ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]}"#,
        #"{"url": "https://hooks.example.com/", "secrets": ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]}"#,
    ])
    func rejectsInvalidFiles(json: String) {
        let fault = #expect(throws: CredentialFault.self) { try read(json) }
        #expect(fault?.description.hasPrefix("hook.json: ") == true)
        #expect(fault?.description.contains("whsec_Mf") == false, "the error must not repeat the secret")
    }

    @Test func requiresNameOfReceiver() {
        #expect(throws: CredentialFault("--webhook is required: a name for the receiver")) {
            try read(#"{"url": "https://hooks.example.com/", "secrets": ["\#(Self.secrets[0])"]}"#, account: nil)
        }
    }

    @Test func createsReceiverAndShowsSecret() throws {
        var details = CredentialDetails()
        details.account = "crm"
        #expect(throws: CredentialFault("--url is required: the https URL of the receiver")) {
            try credentials.create(details, now: Timestamp(seconds: 0))
        }
        details.url = "https://hooks.example.com/x"
        let new = try credentials.create(details, now: Timestamp(seconds: 0))
        guard case .secret(let sealed) = new.kind else { throw WebhookFault("the credential is not a secret") }
        #expect(new.shown.map(\.name) == ["signing secret"])
        #expect(try WebhookTarget(json: sealed).secrets.map(\.text) == new.shown.map(\.text))
        #expect(try credentials.create(details, now: Timestamp(seconds: 0)).fingerprint != new.fingerprint)
    }
}
