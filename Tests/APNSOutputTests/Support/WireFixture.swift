import Foundations
import APNSOutput
import APNSSimulator
import Crypto
import Foundation
import HTTP2Pool
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import PushModel
import PushTestSupport
import Store

/// An APNs output that resolves `push.test` to the addresses that the test sets.
struct WireFixture {
    static let team = "TEAM123456", keyID = "ABC123DEFG"

    let output: APNSSender
    let recorder = OutcomeRecorder()
    /// The refusal events that the output has reported.
    var refusals: [Refusal.Event] { reported.events.withLock { $0 } }
    /// The number of bad device tokens that the output has reported, by reason.
    var badTokens: [String: Int] {
        refusals.reduce(into: [:]) { counts, event in
            if case .badTokens(let bad) = event { counts[bad.reason, default: 0] += bad.count }
        }
    }
    private let reported: Told
    let credential: Credential
    private let environment: PushEnvironment
    private let key = P256.Signing.PrivateKey()

    /// Creates an output that sends to a simulator.
    init(
        _ simulator: SimulatedAPNS, certificate: CertificateAuthority.Issued? = nil,
        environment: PushEnvironment = .production, _ change: (inout APNSConfiguration) -> Void = { _ in }
    ) throws {
        self.init(
            [try .init(ipAddress: "127.0.0.1", port: simulator.port)], kind: try certificate.map(Credential.Kind.init),
            environment: environment, change)
    }

    init(
        _ addresses: [SocketAddress], maximumConnections: Int = 4, proxy: HTTPProxy? = nil, host: String = "push.test",
        verifies: Bool = false, authorityFile: String? = nil, kind: Credential.Kind? = nil,
        environment: PushEnvironment = .production, _ change: (inout APNSConfiguration) -> Void = { _ in }
    ) {
        var configuration = APNSConfiguration(
            production: .init(host: host, port: 2197), sandbox: .init(host: host, port: 2197),
            authorityFile: authorityFile, verifiesCertificates: verifies,
            proxy: proxy, maximumConnections: maximumConnections, connectTimeoutSeconds: 30)
        // Signing needs a thread, which other tests may occupy for a long time, especially under a sanitizer.
        configuration.tokenPatienceMilliseconds = 60_000
        configuration.silenceMilliseconds = 60_000
        configuration.resolve = { name, _ in
            guard name == host else { throw ConnectError.unknownName(name, "not known to this test") }
            return addresses
        }
        change(&configuration)
        let reported = Told()
        output = APNSSender(
            configuration: configuration, tokens: LocalTokenStore(clock: { .now }),
            eventLoops: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: { .now }
        ) { event in reported.events.withLock { $0.append(event) } }
        self.reported = reported
        self.environment = environment
        let token = Credential.Kind.token(keyID: Self.keyID, privateKeyPEM: Secret(key.pemRepresentation.utf8))
        credential = Credential(
            id: "1", kind: kind ?? token, account: Self.team, environments: [.production, .sandbox])
    }

    /// Registers the fixture's key at a simulator.
    func register(at simulator: SimulatedAPNS, scope: TokenKey.Scope = TokenKey.Scope()) throws {
        var registered = try TokenKey(team: Self.team, keyID: Self.keyID, pem: key.publicKey.pemRepresentation)
        registered.scope = scope
        simulator.register(registered)
    }

    static func startedSimulator(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) async throws
        -> SimulatedAPNS
    {
        var configuration = SimulatorConfiguration()
        configuration.controlPort = nil
        change(&configuration)
        let simulator = try SimulatedAPNS(configuration: configuration)
        try await simulator.start()
        simulator.isRecording = true
        return simulator
    }

    /// Sends a push to each token, with a payload of this size in bytes.
    func send(to tokens: [String], payloadBytes: Int = 30) throws {
        let frame = #"{"aps":{"alert":""}}"#
        let text = String(repeating: "x", count: payloadBytes - frame.utf8.count)
        let list = tokens.map { "\"\($0)\"" }.joined(separator: ",")
        try send(try Job.sample(recipients: "[\(list)]", payload: #"{"aps":{"alert":"\#(text)"}}"#))
    }

    func send(_ job: Job, in other: PushEnvironment? = nil) throws {
        output.send(RoutedJob(job, environment: other ?? environment, credential: credential), reportingTo: recorder)
    }

    /// Sends one push and returns its verdict and reason.
    func push(_ token: String = "c0ffee", _ members: String...) async throws -> String {
        let before = recorder.outcomes.count
        try send(try Job.read(Job.sampleText(recipients: "[\"\(token)\"]", members)))
        await recorder.wait(for: before + 1)
        return recorder.outcomes.dropFirst(before).map { "\($0.verdict) \($0.reason ?? "-")" }.joined(separator: ", ")
    }

    /// Returns numbered device tokens with a common prefix, in hexadecimal. The first number is 1, because no device
    /// has a token of zeros.
    static func tokens(_ count: Int, _ prefix: String = "") -> [String] {
        (0..<count).map { number in
            let digits = String(number + 1, radix: 16)
            return prefix + String(repeating: "0", count: 64 - prefix.count - digits.count) + digits
        }
    }

    private final class Told: Sendable {
        let events = Mutex<[Refusal.Event]>([])
    }

    /// The number of outcomes beyond one for each push.
    var surplusOutcomes: Int {
        let outcomes = recorder.outcomes
        return outcomes.count - Set(outcomes.map { "\(ObjectIdentifier($0.job)) \($0.recipient)" }).count
    }

    /// Returns the tokens of the pushes that ended with this verdict.
    func tokens(_ verdict: Outcome.Verdict) -> Set<String> {
        Set(
            recorder.outcomes.filter { $0.verdict == verdict }.map { outcome in
                let job = outcome.job.job
                return job.text(job.recipients[outcome.recipient].token)
            })
    }

    /// The number of pushes by verdict and reason.
    var tally: [String: Int] {
        Dictionary(grouping: recorder.outcomes) { outcome in
            "\(outcome.verdict)" + (outcome.reason.map { " \($0)" } ?? "")
        }.mapValues(\.count)
    }
}

extension Credential.Kind {
    /// Creates a credential from a push certificate that the simulator's authority issued.
    fileprivate init(_ issued: CertificateAuthority.Issued) throws {
        let chain = try NIOSSLCertificate(bytes: Array(issued.certificatePEM.utf8), format: .pem).toDERBytes()
        let key = try P256.Signing.PrivateKey(pemRepresentation: issued.privateKeyPEM)
        self = .certificate(chainDER: [chain], privateKeyDER: Secret(key.derRepresentation))
    }
}
