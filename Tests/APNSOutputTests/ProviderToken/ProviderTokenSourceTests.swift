import APNSOutput
import Crypto
import PushModel
import Testing

@Suite struct ProviderTokenSourceTests {
    private let start = Timestamp(seconds: 1_795_168_800)
    private let source: ProviderTokenSource

    init() throws {
        let pem = Secret(P256.Signing.PrivateKey().pemRepresentation.utf8)
        source = ProviderTokenSource(
            signer: try ProviderTokenSigner(privateKeyPEM: pem, keyID: "ABC123DEFG", team: "TEAM123456"))
    }

    private func token(after minutes: Double) throws -> Secret {
        try source.token(at: Timestamp(milliseconds: start.milliseconds + Int64(minutes * 60_000)))
    }

    @Test func oneTokenLastsTwentyFiveMinutes() throws {
        let first = try token(after: 0)
        #expect(try token(after: 10) == first)
        #expect(try token(after: 24.99) == first)
        let second = try token(after: 25)
        #expect(second != first)
        #expect(try token(after: 49.9) == second)
        #expect(try token(after: 50) != second)
    }

    @Test func aClockSetBackALittleBringsNoNewToken() throws {
        let first = try token(after: 0)
        #expect(try token(after: -5) == first)
        #expect(try token(after: -24) == first)
        #expect(try token(after: 5) == first)
    }

    @Test func aClockSetBackFarMeansThatTheTokenWasWrong() throws {
        let first = try token(after: 300)
        let second = try token(after: 0)
        #expect(second != first)
        #expect(try token(after: 1) == second)
    }

    @Test func afterALongPauseThereIsANewOne() throws {
        let first = try token(after: 0)
        #expect(try token(after: 60 * 24 * 30) != first)
    }

    @Test func allThreadsGetTheSame() async throws {
        let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
            for _ in 0..<50 { group.addTask { try self.token(after: 0) } }
            return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
    }
}
