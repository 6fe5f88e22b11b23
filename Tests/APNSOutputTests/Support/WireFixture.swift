import APNSOutput
import APNSSimulator
import CredentialStore
import Crypto
import Foundation
import Logging
import NIOCore
import NIOPosix
import PushModel
import PushTestSupport

/// An APNs output that finds `push.test` at the addresses a test gives it.
struct WireFixture {
    static let team = "TEAM123456", keyID = "ABC123DEFG"

    let output: APNSOutput
    let recorder = OutcomeRecorder()
    private let credential: Credential
    private let key = P256.Signing.PrivateKey()

    init(
        _ addresses: [SocketAddress], maximumConnections: Int = 4, proxy: APNSProxy? = nil, host: String = "push.test",
        verifies: Bool = false, authorityFile: String? = nil
    ) {
        var configuration = APNSConfiguration(
            production: .init(host: host, port: 2197), authorityFile: authorityFile, verifiesCertificates: verifies,
            proxy: proxy, maximumConnections: maximumConnections, connectTimeoutSeconds: 1)
        configuration.resolve = { name, _ in
            guard name == host else { throw APNSConnectError.unknownName(name, "not known to this test") }
            return addresses
        }
        output = APNSOutput(
            configuration: configuration, tokens: LocalProviderTokens(clock: { .now }),
            eventLoops: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: { .now })
        credential = Credential(
            id: "1", kind: .token(keyID: Self.keyID, privateKeyPEM: Secret(key.pemRepresentation.utf8)),
            team: Self.team, environments: [.production])
    }

    /// A simulator that knows this fixture's key.
    func register(at simulator: APNSSimulator) throws {
        simulator.register(
            try TokenKey(team: Self.team, keyID: Self.keyID, pem: key.publicKey.pemRepresentation))
    }

    static func startedSimulator(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) async throws
        -> APNSSimulator
    {
        var configuration = SimulatorConfiguration()
        configuration.controlPort = nil
        change(&configuration)
        let simulator = try APNSSimulator(configuration: configuration)
        try await simulator.start()
        simulator.isRecording = true
        return simulator
    }

    /// Sends a push to each token, with a payload of so many bytes.
    func send(to tokens: [String], payloadBytes: Int = 30) throws {
        let frame = #"{"aps":{"alert":""}}"#
        let text = String(repeating: "x", count: payloadBytes - frame.utf8.count)
        let list = tokens.map { "\"\($0)\"" }.joined(separator: ",")
        let job = try Job.sample(recipients: "[\(list)]", payload: #"{"aps":{"alert":"\#(text)"}}"#)
        output.send(RoutedJob(job, credential: credential), reportingTo: recorder)
    }

    /// Device tokens that begin alike, in hexadecimal.
    static func tokens(_ count: Int, _ prefix: String = "") -> [String] {
        (0..<count).map { number in
            let digits = String(number, radix: 16)
            return prefix + String(repeating: "0", count: 64 - prefix.count - digits.count) + digits
        }
    }

    /// Pushes by verdict and reason.
    var tally: [String: Int] {
        Dictionary(grouping: recorder.outcomes) { outcome in
            "\(outcome.verdict)" + (outcome.reason.map { " \($0)" } ?? "")
        }.mapValues(\.count)
    }
}
