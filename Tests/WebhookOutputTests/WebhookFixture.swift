import Foundations
import Crypto
import Foundation
import HTTP2Pool
import Logging
import NIOCore
import NIOPosix
import PushModel
import PushTestSupport
import TestSupport
import WebhookOutput
import WireTestSupport

/// A token store that always fails, because webhooks use no tokens.
private struct NoTokens: SharedTokenStore {
    func token(
        of credential: Credential.ID, youngerThan age: Int64, sign: @Sendable (Timestamp) throws -> Secret
    ) async throws -> SharedToken {
        throw Failure(description: "a webhook needs no token")
    }
}

/// A webhook output with one credential, whose URL is that of a test's receiver.
struct WebhookFixture {
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    let output: WebhookSender
    let credential: Credential
    private let reported: Told

    private final class Told: Sendable {
        let jobs = Atomic(0)
        let settled = Atomic(0)
        let refusals = Mutex<[Refusal.Event]>([])
    }

    /// The reasons for which the credential was refused.
    var refusals: [String] {
        reported.refusals.withLock { events in
            events.compactMap { event in if case .began(let refusal) = event { refusal.reason } else { nil } }
        }
    }

    init(
        url: String, authorityFile: String? = nil, privateHosts: Set<Endpoint>? = nil,
        _ change: (inout WebhookConfiguration) -> Void = { _ in }
    ) throws {
        credential = Self.credential(url)
        var configuration = WebhookConfiguration()
        configuration.privateHosts = try privateHosts ?? [WebhookURL(url).endpoint]
        configuration.authorityFile = authorityFile
        configuration.connectTimeoutSeconds = 30
        change(&configuration)
        let reported = Told()
        self.reported = reported
        output = WebhookSender(
            name: "webhook", configuration: configuration, eventLoops: MultiThreadedEventLoopGroup.singleton,
            context: Self.context { event in reported.refusals.withLock { $0.append(event) } })
    }

    static func credential(_ url: String) -> Credential {
        Credential(
            id: url, output: "webhook", kind: .secret(Secret(#"{"url":"\#(url)","secrets":["\#(secret)"]}"#.utf8)),
            account: "crm", environments: [.production])
    }

    static func context(_ refusals: @escaping @Sendable (Refusal.Event) -> Void = { _ in }) -> OutputContext {
        OutputContext(
            settings: OutputSettings([]), tokens: NoTokens(), clock: { .now }, refusals: refusals,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Returns whether at least this number of jobs was handed in.
    func hasHandedIn(_ jobs: Int) -> Bool { reported.jobs.load(ordering: .relaxed) >= jobs }

    /// The number of jobs whose outcomes were all reported.
    var settledJobs: Int { reported.settled.load(ordering: .relaxed) }

    /// Sends a job and returns the outcomes in the order of its recipients.
    func send(
        _ recipients: [String] = ["a", "b"], app: String = "com.example.shop", payload: String = #"{"text":"Hi"}"#,
        lane: Lane = .normal, id: String = "job-1", attempt: Int = 1, redelivered: Bool = false, _ members: String...
    ) async throws -> [Outcome] {
        let recorder = OutcomeRecorder()
        let text = "[\(recipients.map { $0.hasPrefix("{") ? $0 : "\"\($0)\"" }.joined(separator: ","))]"
        let json = Job.sampleText(
            recipients: text, payload: payload, [#""output":"webhook""#, #""id":"\#(id)""#] + members)
        let job = try Job.read(json.replacing("com.example.shop", with: app))
        let routed = RoutedJob(
            job, credential: credential, lane: lane, attempt: attempt, redelivered: redelivered)
        output.send(routed, reportingTo: recorder)
        reported.jobs.add(1, ordering: .relaxed)
        await recorder.wait(for: recipients.count)
        reported.settled.add(1, ordering: .relaxed)
        return recorder.outcomes.sorted { $0.recipient < $1.recipient }
    }
}

extension Timestamp {
    static var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}

extension Outcome {
    /// The outcome as text: `sent 200 - provider`, followed by the provider's id and the retry delay, if any.
    var line: String {
        [
            "\(verdict)", "\(status)", reason ?? "-", judge.rawValue, providerID.map { "\($0)" },
            retryAfterSeconds > 0 ? "after \(retryAfterSeconds)" : nil,
        ].compactMap(\.self).joined(separator: " ")
    }
}

/// A batch as a receiver decodes it.
struct ReceivedBatch: Decodable {
    struct Recipient: Decodable, Equatable {
        let i: Int
        let token: String
        let ref: String?
        let attempt: Int
    }

    let batch: String
    let recipients: [Recipient]

    init(_ request: HTTP1Server.Request) throws {
        self = try JSONDecoder().decode(ReceivedBatch.self, from: Data(request.body))
    }

    /// The answer that reports every recipient as sent.
    var answer: String {
        let outcomes = recipients.map { #"{"i":\#($0.i),"kind":"sent","id":"m-\#($0.token)"}"# }
        return #"{"outcomes":[\#(outcomes.joined(separator: ","))]}"#
    }
}
