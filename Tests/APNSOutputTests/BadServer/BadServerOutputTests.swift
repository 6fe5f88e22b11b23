import Foundations
import APNSOutput
import Crypto
import Logging
import NIOPosix
import PushModel
import PushTestSupport
import Store
import Testing
import WireTestSupport

/// The output against servers that violate the protocol, over real TLS. Every push ends in one outcome, and the next
/// push gets a new connection.
@Suite struct BadServerOutputTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var script: [ScriptedServer.Step]
        var verdict: Outcome.Verdict
        var reason: String?
    }

    private static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 1, _ payload: [UInt8]) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xff), type, flags, 0, 0, 0, stream] + payload
    }

    private static func status(_ text: String, flags: UInt8) -> [UInt8] {
        frame(1, flags: flags, [0x08, 3] + Array(text.utf8))
    }

    static let cases: [Case] = [
        .init(
            testDescription: "HTTP/1.1", script: [.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))], verdict: .unknown,
            reason: "ConnectionLost"),
        .init(
            testDescription: "header block that cannot be decoded", script: [.send(frame(1, flags: 4, [0xff, 0x40]))],
            verdict: .unknown, reason: "ConnectionLost"),
        .init(
            testDescription: "header list over the limit",
            script: [.send(frame(1, flags: 4, [0x88] + Array(repeating: 0x90, count: 500)))], verdict: .sent,
            reason: nil),
        .init(
            testDescription: "malformed SETTINGS", script: [.send(frame(4, stream: 0, [1]))], verdict: .unknown,
            reason: "ConnectionLost"),
        .init(
            testDescription: "flood of PINGs",
            script: [
                .sendForever(
                    Array(repeatElement(frame(6, stream: 0, Array(repeating: 0, count: 8)), count: 500).joined()))
            ], verdict: .unknown, reason: "ConnectionLost"),
        .init(
            testDescription: "malformed GOAWAY", script: [.send(frame(7, stream: 0, [0, 0, 0, 2, 0, 0, 0, 0]))],
            verdict: .unknown, reason: "ConnectionLost"),
        .init(
            testDescription: "close without an answer", script: [.close], verdict: .unknown, reason: "ConnectionLost"),
        .init(
            testDescription: "socket cut in the middle of a frame", script: [.send([0, 1, 0, 1]), .cut],
            verdict: .unknown, reason: "ConnectionLost"),
        .init(
            testDescription: ":status 099", script: [.send(status("099", flags: 5))], verdict: .unknown,
            reason: "StreamReset"),
        .init(
            testDescription: "no :status", script: [.send(frame(1, flags: 5, [0, 1, 0x78, 1, 0x79]))],
            verdict: .unknown, reason: "StreamReset"),
        .init(
            testDescription: "body that never ends",
            script: [.send(status("400", flags: 4)), .sendForever(frame(0, Array(repeating: 0x20, count: 1000)))],
            verdict: .rejected, reason: "Status400"),
        .init(
            testDescription: "body that is not JSON",
            script: [.send(status("400", flags: 4)), .send(frame(0, flags: 1, [0xff, 0x7b]))], verdict: .rejected,
            reason: "Status400"),
        .init(
            testDescription: "503 without a body", script: [.send(status("503", flags: 5))], verdict: .retry,
            reason: "Status503"),
    ]

    private func output(_ server: ScriptedServer) -> APNSSender {
        var configuration = APNSConfiguration(
            production: .init(host: "127.0.0.1", port: server.port), authorityFile: server.authorityFile,
            requestTimeoutSeconds: 20, connectTimeoutSeconds: 20)
        configuration.tokenPatienceMilliseconds = 60_000
        configuration.silenceMilliseconds = 60_000
        return APNSSender(
            configuration: configuration,
            tokens: LocalTokenStore(clock: { .now }), eventLoops: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            clock: { .now })
    }

    @Test(arguments: cases) func reportsOneOutcomeForEachPush(_ input: Case) async throws {
        let server = try await ScriptedServer.start(input.script)
        let output = output(server)
        let credential = Credential(
            id: "1",
            kind: .token(
                keyID: "ABC123DEFG", privateKeyPEM: Secret(P256.Signing.PrivateKey().pemRepresentation.utf8)),
            account: "TEAM123456", environments: [.production])
        // The pool must survive the fault that ended the first connection, so the second push gets a new connection.
        let rounds = input.reason == "ConnectionLost" ? 2 : 1
        for round in 1...rounds {
            let recorder = OutcomeRecorder()
            let job = RoutedJob(try Job.sample(recipients: #"["aa"]"#), credential: credential)
            output.send(job, reportingTo: recorder)
            await recorder.wait(for: 1)
            #expect(recorder.outcomes.map(\.verdict) == [input.verdict], "round \(round)")
            #expect(recorder.outcomes.map(\.reason) == [input.reason], "round \(round)")
        }
        #expect(server.connections == rounds)
        await output.shutDown()
        try await server.stop()
    }
}
