import Foundations
import FCMOutput
import FCMSimulator
import Foundation
import HTTP2Pool
import Logging
import NIOCore
import NIOPosix
import PushModel
import PushTestSupport
import Store

private final class Told: Sendable {
    let events = Mutex<[Refusal.Event]>([])
}

/// An FCM output that sends to a simulator, and the credential of one project.
final class FCMFixture: Sendable {
    let output: FCMSender
    let recorder = OutcomeRecorder()
    let credential: Credential
    private let reported = Told()
    private let authority: URL

    /// - Parameter project: the project whose service account is registered with the simulator.
    init(
        _ simulator: SimulatedFCM, project: String = "shop-1a2b3", id: String = "1",
        quotas: any QuotaShares = UndividedQuotas(),
        _ change: (inout FCMConfiguration) -> Void = { _ in }
    ) throws {
        let email = "push@\(project).iam.gserviceaccount.com"
        let json = SampleAccount.json([
            "project_id": project, "client_email": email,
            "token_uri": scheme + "localhost:\(simulator.port)\(SimulatedFCM.tokenPath)",
        ])
        simulator.register(
            try SimulatedAccount(project: project, email: email, keyID: "0123abcd", pem: sampleKeyPEM))
        credential = Credential(
            id: id, output: "fcm", kind: .secret(Secret(json.utf8)), account: project, environments: [.production])
        authority = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString).pem")
        try simulator.caCertificatePEM.write(to: authority, atomically: true, encoding: .utf8)
        var configuration = FCMConfiguration()
        configuration.endpoint = Endpoint(host: "localhost", port: simulator.port)
        configuration.tokenEndpoint = configuration.endpoint
        configuration.authorityFile = authority.path
        configuration.connectTimeoutSeconds = 30
        configuration.silenceMilliseconds = 60_000
        configuration.breakMilliseconds = 300
        change(&configuration)
        let reported = reported
        output = FCMSender(
            configuration: configuration, quotas: quotas, eventLoops: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: { .now }
        ) { event in reported.events.withLock { $0.append(event) } }
    }

    deinit { try? FileManager.default.removeItem(at: authority) }

    /// The reported beginnings and ends of refusals, in order.
    var refusals: [String] {
        reported.events.withLock(\.self).compactMap { event in
            switch event {
            case .began(let refusal): "began \(refusal.reason)"
            case .ended: "ended"
            case .badTokens: nil
            }
        }
    }

    /// The number of bad tokens that the output reported, by reason.
    var badTokens: [String: Int] {
        reported.events.withLock(\.self).reduce(into: [:]) { counts, event in
            if case .badTokens(let bad) = event { counts[bad.reason, default: 0] += bad.count }
        }
    }

    /// - Parameter recipients: the recipients, as a JSON array.
    func send(_ recipients: String, payload: String = #"{"notification":{"title":"Hi"}}"#, _ members: String...) throws
    {
        let text =
            #"{"app":"com.example.shop","output":"fcm","recipients":\#(recipients),"payload":\#(payload)"#
            + members.map { "," + $0 }.joined() + "}"
        output.send(RoutedJob(try Job.read(text), credential: credential), reportingTo: recorder)
    }

    func send(to tokens: [String], in lane: Lane) throws {
        let list = tokens.map { "\"\($0)\"" }.joined(separator: ",")
        let job = try Job.read(
            #"{"app":"com.example.shop","output":"fcm","recipients":[\#(list)],"payload":{}}"#)
        output.send(RoutedJob(job, credential: credential, lane: lane), reportingTo: recorder)
    }

    /// Returns another service account of the same project, registered with the simulator.
    func otherCredential(at simulator: SimulatedFCM) throws -> Credential {
        let email = "other@\(credential.account).iam.gserviceaccount.com"
        simulator.register(
            try SimulatedAccount(project: credential.account, email: email, keyID: "0123abcd", pem: sampleKeyPEM))
        let json = SampleAccount.json([
            "project_id": credential.account, "client_email": email,
            "token_uri": scheme + "localhost:\(simulator.port)\(SimulatedFCM.tokenPath)",
        ])
        return Credential(
            id: "other", output: "fcm", kind: .secret(Secret(json.utf8)), account: credential.account,
            environments: [.production])
    }

    func send(to tokens: [String]) throws { try send("[\(tokens.map { "\"\($0)\"" }.joined(separator: ","))]") }

    /// Sends one message and returns its outcome.
    func push(
        _ recipient: String = #""a:APA91b1""#, payload: String = "{}", with other: Credential? = nil,
        _ members: String...
    ) async throws -> Outcome? {
        let before = recorder.outcomes.count
        let text =
            #"{"app":"com.example.shop","output":"fcm","recipients":[\#(recipient)],"payload":\#(payload)"#
            + members.map { "," + $0 }.joined() + "}"
        output.send(RoutedJob(try Job.read(text), credential: other ?? credential), reportingTo: recorder)
        await recorder.wait(for: before + 1)
        return recorder.outcomes.dropFirst(before).first
    }

    /// The number of outcomes by verdict and reason.
    var tally: [String: Int] {
        recorder.outcomes.reduce(into: [:]) { counts, outcome in
            counts["\(outcome.verdict)" + (outcome.reason.map { " \($0)" } ?? ""), default: 0] += 1
        }
    }

    /// Returns a registration token of the form that Google issues.
    static func token(_ name: String) -> String { "\(name):APA91bH" }

    static func tokens(_ count: Int, _ prefix: String = "") -> [String] { (0..<count).map { token("\(prefix)n\($0)") } }
}
