import PushModel
import Testing
import WebhookOutput

@Suite struct BatchSignatureTests {
    /// The values come from the tests of the Standard Webhooks libraries.
    @Test func signsExampleOfStandardWebhooks() throws {
        let secret = try WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        let value = BatchSignature([secret]).value(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8))
        #expect(value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func writesOneSignaturePerSecret() throws {
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
    func rejectsInvalidSecrets(text: String) {
        #expect(throws: WebhookFault("a secret must be whsec_ followed by 24 to 64 bytes in base64")) {
            try WebhookSecret(text)
        }
    }

    @Test func readsBackRandomSecret() throws {
        let secret = WebhookSecret.random()
        #expect(try WebhookSecret(secret.text) == secret)
        #expect("\(secret)".contains("<secret>"))
    }
}
