import PushModel
import Testing
import WebhookOutput

@Suite struct BatchSignatureTests {
    /// As the libraries of Standard Webhooks have it in their own tests.
    @Test func theKnownOne() throws {
        let secret = try WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        let value = BatchSignature([secret]).value(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8))
        #expect(value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func oneForEachSecret() throws {
        let secrets = [WebhookSecret.random(), WebhookSecret.random()]
        let signatures = secrets.map { BatchSignature([$0]).value(id: "a", seconds: 1, body: [1]) }
        #expect(BatchSignature(secrets).value(id: "a", seconds: 1, body: [1]) == signatures.joined(separator: " "))
        #expect(signatures[0] != signatures[1])
    }

    @Test(arguments: [
        "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",
        "whsec_plJ3nmyCDGBKInavdOK15jsl",
        "whsec_ MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    ])
    func othersAreNoSecrets(text: String) {
        #expect(throws: WebhookFault("a secret must be whsec_ and 24 to 64 bytes in base64")) {
            try WebhookSecret(text)
        }
    }

    @Test func aNewOneIsReadBack() throws {
        let secret = WebhookSecret.random()
        #expect(try WebhookSecret(secret.text) == secret)
        #expect("\(secret)".contains("<secret>"))
    }
}
