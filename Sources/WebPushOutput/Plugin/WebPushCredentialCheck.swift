import Foundations
import HTTP2Pool
import HTTP2Session
import NIOCore
import PushModel

/// A check of a VAPID key: whether it can sign, and whether a push service accepts it.
///
/// Services judge a key together with a subscription. Without a subscription, the check can only show that the key
/// signs, and with which public key pages must subscribe. With a subscription, the check sends a message without a body
/// that is delivered immediately or never. A page that expects payloads may then show a notification of its own.
struct WebPushCredentialCheck {
    let configuration: WebPushConfiguration
    let eventLoop: any EventLoop

    /// Runs the check.
    ///
    /// - Parameter recipient: the JSON of a subscription or only its endpoint, or `nil` to send nothing.
    func run(_ credential: Credential, recipient: String?, now: Timestamp) async -> CredentialFinding {
        do {
            let identity = try VAPIDIdentity(credential)
            guard let recipient else {
                return CredentialFinding(
                    .accepted("it signs; pages subscribe with applicationServerKey \(identity.key.publicKeyText)"))
            }
            return try await ask(with: identity, about: Self.endpoint(of: recipient), now: now)
        } catch let error as SingleRequestError {
            return CredentialFinding(
                .unreachable("\(error)"), advice: "the key was not tested: check the network path to this host")
        } catch let fault as WebPushFault {
            return CredentialFinding(.unusable("\(fault.reason): see docs/errors.md"))
        } catch {
            return CredentialFinding(.unusable("\(error)"))
        }
    }

    private func ask(
        with identity: VAPIDIdentity, about endpoint: [UInt8], now: Timestamp
    ) async throws -> CredentialFinding {
        let parts = try endpoint.withUnsafeBufferPointer { try PushEndpoint($0) }
        guard let entry = configuration.hosts.entry(allowing: parts.origin) else {
            throw WebPushFault.endpointNotAllowed
        }
        let service = PushService(host: parts.origin.host)
        let request = WebPushRequest.nowOrNever
        let fields =
            HTTP2Fields.messageFields(to: parts.origin.authority)
            + RequestFields.fields(
                of: request, ttl: request.ttl(at: now, to: service),
                authorization: try identity.token(for: parts.origin, now: now).authorization, to: service)
        let answer = try await SingleRequest.perform(
            fields: try HTTP2Fields(fields), path: String(decoding: endpoint[parts.path], as: UTF8.self),
            body: HTTP2Body([]),
            with: configuration.pool(to: parts.origin, allowedBy: entry, sharing: SharedConnectionLimit(1)),
            on: eventLoop)
        return Self.finding(answer, from: service, at: parts.origin.authority)
    }

    private static func finding(
        _ answer: SingleRequest.Answer, from service: PushService, at host: String
    ) -> CredentialFinding {
        let words = RefusalBody(answer.body)
        let meaning = WebPushAnswer(
            status: answer.status, words: words, from: service, hasRetryAfter: answer.fields["retry-after"] != nil)
        let reason = meaning.reason(status: answer.status, words: words)
        switch meaning {
        case .accepted: return CredentialFinding(.accepted("\(host) accepted a message without a body"))
        case .keyMismatch:
            return CredentialFinding(
                .refused(status: answer.status, reason: reason), advice: "the subscription was made with another key")
        case .subscriptionGone:
            return CredentialFinding(
                .refused(status: answer.status, reason: reason), advice: "the subscription is gone: use another one")
        case .busy, .unavailable, .noListener:
            return CredentialFinding(.refused(status: answer.status, reason: reason), advice: "try again later")
        case .credentialRefused, .unauthorized, .refused, .tooLarge, .redirected:
            return CredentialFinding(.refused(status: answer.status, reason: reason), advice: "see docs/errors.md")
        }
    }

    private static func endpoint(of recipient: String) throws(WebPushFault) -> [UInt8] {
        let text = Array(recipient.utf8)
        guard text.first == UInt8(ascii: "{") else { return text }
        let endpoint = text.withUnsafeBufferPointer { json -> [UInt8]? in
            var found: [UInt8]?
            var scanner = JSONScanner(json)
            try? scanner.object { (name, scanner) throws(JSONSyntaxError) in
                guard json[name.range].elementsEqual("endpoint".utf8), scanner.nextKind() == .string else {
                    return _ = try scanner.value()
                }
                found = JSONText.unescaped(json[try scanner.string().range])
            }
            return found
        }
        guard let endpoint else { throw .badEndpoint }
        return endpoint
    }
}
