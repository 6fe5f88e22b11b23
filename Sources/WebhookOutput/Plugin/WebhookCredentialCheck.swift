import Foundation
import HTTP2Pool
import HTTP2Session
package import NIOCore
package import PushModel

/// A check of whether a receiver accepts signed batches. It sends an empty batch, which the receiver answers like any
/// other batch.
package struct WebhookCredentialCheck: Sendable {
    private let configuration: WebhookConfiguration
    private let output: String
    private let clock: @Sendable () -> Timestamp
    private let eventLoop: any EventLoop

    package init(
        configuration: WebhookConfiguration, output: String, clock: @escaping @Sendable () -> Timestamp,
        eventLoop: any EventLoop
    ) {
        self.configuration = configuration
        self.output = output
        self.clock = clock
        self.eventLoop = eventLoop
    }

    package func run(_ credential: Credential) async -> CredentialFinding {
        guard case .secret(let json) = credential.kind else {
            return CredentialFinding(.unusable("it is not a URL with secrets"))
        }
        do {
            let target = try WebhookTarget(json: json)
            return finding(of: try await ask(target))
        } catch let fault as WebhookFault {
            return CredentialFinding(.unusable(fault.description))
        } catch let error as SingleRequestError {
            return CredentialFinding(
                .unreachable(Self.text(of: error)),
                advice: "the receiver was not tested: check the network path to this host, and any proxy")
        } catch {
            return CredentialFinding(.unusable("\(error)"))
        }
    }

    private func ask(_ target: WebhookTarget) async throws -> SingleRequest.Answer {
        let id = UUID().uuidString.lowercased()
        let body = Array(#"{"version":1,"batch":"\#(id)","output":"\#(output)","recipients":[]}"#.utf8)
        let seconds = clock().seconds
        let signature = BatchSignature(target.secrets).value(id: id, seconds: seconds, body: body)
        return try await SingleRequest.perform(
            fields: try .webhook(target.url, id: id, seconds: seconds, signature: signature), path: target.url.path,
            body: HTTP2Body(body), with: try configuration.pool(to: target.url), on: eventLoop)
    }

    private func finding(of answer: SingleRequest.Answer) -> CredentialFinding {
        let hasRetryAfter = answer.fields["retry-after"] != nil
        switch AnswerClass(status: answer.status, hasRetryAfter: hasRetryAfter) {
        case .reported where BatchAnswer(answer.body, recipients: 0) != nil:
            return CredentialFinding(.accepted("the receiver accepted an empty batch; nothing was sent"))
        case .reported:
            return CredentialFinding(
                .refused(status: answer.status, reason: WebhookReason.badAnswer),
                advice: #"the receiver must answer {"outcomes": []}: see docs/webhook.md"#)
        case .unreported, .refused, .doubtful:
            return CredentialFinding(
                .refused(status: answer.status, reason: "Status\(answer.status)"), advice: "see docs/webhook.md")
        case .busy, .broken:
            return CredentialFinding(
                .refused(status: answer.status, reason: "Status\(answer.status)"), advice: "try again later")
        }
    }

    private static func text(of error: SingleRequestError) -> String {
        switch error {
        case .certificateRefused(let why), .connectionLost(let why): why
        case .goAway: "the receiver closed the connection"
        case .timedOut: "the receiver did not answer in time"
        case .tooLong(let maximum): "the answer is longer than \(maximum) bytes"
        }
    }
}
