import Foundations
import HTTP2Pool
import HTTP2Session
import Logging
import PushModel
import PushSending
import PushTestSupport

/// A provider that sends the recipient's token as the body of a request. The status determines an answer's meaning.
struct SampleProvider: PushProvider {
    func server(for credential: Credential?, in environment: PushEnvironment) throws -> PushServer {
        guard credential != nil else { throw PushFault("NoKey") }
        return PushServer(endpoint: Endpoint(host: "localhost", port: 1))
    }

    func requestBuilder(for job: RoutedJob) throws(PushFault) -> RequestBuilder {
        if job.job.id == "invalid" { throw PushFault("InvalidJob", detail: "no text") }
        return { recipient throws(PushFault) in
            let token = job.job.bytes(recipient.token)
            if token.starts(with: "bad".utf8) { throw PushFault("BadToken", detail: "not an address") }
            return try PushRequest(path: "/push", body: Array(token))
        }
    }

    func meaning(of answer: PushAnswer) -> PushMeaning {
        let fault = PushFault("Status\(answer.status)")
        return switch answer.status {
        case 200: .accepted(id: String(decoding: answer.body, as: UTF8.self))
        case 401: .credentialRefused(fault)
        case 403: .refusedAmbiguously(fault)
        case 410: .unregistered(fault)
        case 429: .throttled(fault)
        case 503: .retry(fault, afterSeconds: 5)
        case 500...: .unknown(fault)
        default: .rejected(fault)
        }
    }
}

/// The pool client of a ``SampleProvider``. The test takes the place of the pool.
final class ProviderFixture {
    let dispatcher: CredentialDispatcher
    let pushes: ProviderPushes
    private let recorder = OutcomeRecorder()

    init() {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        dispatcher = CredentialDispatcher(
            health: PoolHealth(
                of: Refusal.Subject(credential: "1", environment: .production, topic: nil), service: "the test",
                breakMilliseconds: 15_000, silenceMilliseconds: 40_000, refusals: { _ in }, logger: logger),
            clock: { Timestamp(seconds: 1_000) })
        pushes = ProviderPushes(SampleProvider(), dispatcher, service: "the test", logger: logger)
    }

    /// The outcomes as text, such as `retry 429 Status429 after 5`, in the order of their reports.
    var outcomes: [String] {
        recorder.outcomes.map { outcome in
            ["\(outcome.verdict)", "\(outcome.status)", outcome.reason ?? "-"].joined(separator: " ")
                + (outcome.retryAfterSeconds > 0 ? " after \(outcome.retryAfterSeconds)" : "")
        }
    }

    var last: Outcome? { recorder.outcomes.last }

    func handIn(_ tokens: String..., id: String = "job", at now: Int64 = 0) throws {
        let text = "[\(tokens.map { "\"\($0)\"" }.joined(separator: ","))]"
        let routed = RoutedJob(try Job.sample(recipients: text, #""id":"\#(id)""#))
        let job = ProviderJob(routed, sink: recorder, request: try SampleProvider().requestBuilder(for: routed))
        job.holdRandom = 0
        _ = dispatcher.handIn(job)
        turn(at: now)
    }

    func turn(at now: Int64) {
        pushes.turnBegins(now: now)
        pushes.turnEnds()
    }

    /// Writes all pushes that may be sent, and returns the tags of their requests by body.
    func write(at now: Int64 = 0) -> [String: Int] {
        pushes.turnBegins(now: now)
        defer { pushes.turnEnds() }
        var tags: [String: Int] = [:]
        while let request = pushes.next(onlyUrgent: false, now: now) {
            tags[request.body.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }] = request.tag
        }
        return tags
    }

    func answer(_ tag: Int?, _ status: Int, _ body: String = "", retryAfter: String? = nil, at now: Int64) {
        guard let tag else { return }
        if var retryAfter {
            retryAfter.withUTF8 { value in
                var name = "retry-after"
                name.withUTF8 {
                    pushes.answerField(
                        tag, name: UnsafeRawBufferPointer($0), value: UnsafeRawBufferPointer(value))
                }
            }
        }
        _ = pushes.answered(tag, PoolAnswer(status: status, body: Array(body.utf8), milliseconds: 250), now: now)
        pushes.turnEnds()
    }
}
