import Foundations
import Logging
import PushModel
import PushSending
import PushTestSupport
import Testing

@Suite struct ProviderSenderTests {
    /// A token store that always fails, because the provider uses no tokens.
    private struct NoTokens: SharedTokenStore {
        func token(
            of credential: Credential.ID, youngerThan age: Int64, sign: @Sendable (Timestamp) throws -> Secret
        ) async throws -> SharedToken {
            throw PushFault("NoTokens")
        }
    }

    private let recorder = OutcomeRecorder()

    private func makeContext(_ values: [String: String] = [:]) -> OutputContext {
        OutputContext(
            settings: OutputSettings(ProviderSender.settings) { values[$0] }, tokens: NoTokens(),
            clock: { Timestamp(seconds: 1_000) }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func send(_ job: Job, credential: Credential? = nil, to output: ProviderSender) -> [String] {
        let before = recorder.outcomes.count
        output.send(RoutedJob(job, credential: credential), reportingTo: recorder)
        return recorder.outcomes.dropFirst(before).map { "\($0.verdict) \($0.reason ?? "-")" }
    }

    @Test func settlesJobsThatCannotBeSent() async throws {
        let output = try ProviderSender(SampleProvider(), name: "sample", makeContext())
        #expect(send(try .sample(#""id":"invalid""#), to: output) == ["rejected InvalidJob"])
        #expect(send(try .sample(#""expires_at":1"#), to: output) == ["expired -"])
        #expect(send(try .sample(), to: output) == ["hold CredentialUnusable"])
        output.stopSending()
        #expect(send(try .sample(), to: output) == ["returned -"])
        await output.shutDown()
    }

    @Test func returnsJobsOfRetiredCredential() async throws {
        let output = try ProviderSender(SampleProvider(), name: "sample", makeContext())
        let credential = Credential(
            id: "1", output: "sample", kind: .secret(Secret([])), account: "shop", environments: [.production])
        output.credentialsChanged(to: ["1"])
        output.credentialsChanged(to: ["2"])
        #expect(send(try .sample(), credential: credential, to: output) == ["returned -"])
        await output.shutDown()
    }

    @Test func checksSettings() throws {
        let settings = makeContext(["request_timeout": "0"]).settings
        #expect(throws: SettingFault("request_timeout", "is 0, but must be a whole number from 1 to 3600")) {
            try ProviderSender.check(settings)
        }
        #expect(throws: Never.self) { try ProviderSender.check(OutputSettings([])) }
    }

    @Test(arguments: ["push", "/a b", "/a\r\nx: 1", "/é", ""])
    func refusesPathThatIsNotValidInHTTP(_ path: String) {
        #expect(throws: PushFault("InvalidRequest", detail: "the path is not an absolute path in ASCII")) {
            try PushRequest(path: path, body: [])
        }
    }

    @Test(arguments: ["Name": "value", "name": "a\r\nb", ":path": "/"])
    func refusesFieldThatIsNotValidInHTTP(_ name: String, _ value: String) {
        #expect(throws: PushFault.self) { try PushRequest(path: "/", fields: [name: value], body: []) }
    }
}
