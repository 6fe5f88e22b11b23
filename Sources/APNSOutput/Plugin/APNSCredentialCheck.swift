import HTTP2Pool
import HTTP2Session
package import NIOCore
package import PushModel

/// A check of whether APNs accepts a credential. It sends one request on its own connection.
///
/// APNs verifies the credential first and the device token last. If no device token is given, the request therefore
/// names a token that no device has: 32 zero bytes. If APNs calls this token bad, the credential is valid, and nothing
/// was delivered. For a key that is not limited to topics, the request needs no topic. APNs then reports the missing
/// topic instead.
package struct APNSCredentialCheck: Sendable {
    private static let tokenOfNobody = String(repeating: "0", count: 64)
    /// The reasons that APNs gives only for requests whose credential it accepts.
    private static let proofs: Set<String> = [
        "BadDeviceToken", "DeviceTokenNotForTopic", "MissingTopic", "MissingDeviceToken", "Unregistered",
        "ExpiredToken",
    ]
    /// A payload that may wake the app but shows nothing.
    private static let payload = Array(#"{"aps":{"content-available":1}}"#.utf8)

    private let configuration: APNSConfiguration
    private let tokens: any SharedTokenStore
    private let eventLoop: any EventLoop

    /// Creates a check.
    ///
    /// - Parameter tokens: the store of the key's provider token, which the check shares with the workers.
    package init(configuration: APNSConfiguration, tokens: any SharedTokenStore, eventLoop: any EventLoop) {
        self.configuration = configuration
        self.tokens = tokens
        self.eventLoop = eventLoop
    }

    /// Sends the request and returns the finding.
    ///
    /// - Parameters:
    ///   - device: a device token in hex that receives the push, or `nil` to deliver nothing.
    ///   - topic: the topic of the request, or `nil` for the credential's shortest topic. If the credential is not
    ///     limited to topics, `nil` sends no topic.
    package func run(
        _ credential: Credential, in environment: PushEnvironment, device: String? = nil, topic: String? = nil
    ) async -> CredentialFinding {
        let topic = topic ?? credential.topics.min { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
        let answer: SingleRequest.Answer
        do {
            let endpoint = configuration.endpoint(for: environment)
            let pool = try configuration.pool(to: endpoint, with: credential)
            let fields =
                Self.fields(authority: endpoint.authority, topic: topic)
                + (try await tokens.authorization(for: credential))
            answer = try await SingleRequest.perform(
                fields: try HTTP2Fields(fields), path: "/3/device/" + (device ?? Self.tokenOfNobody),
                body: HTTP2Body(Self.payload), with: pool, on: eventLoop)
        } catch let error as SingleRequestError {
            return CredentialFinding(error)
        } catch {
            return CredentialFinding(advising: .unusable("\(error)"))
        }
        let reason = APNSErrorBody(answer.body).reason
        switch (answer.status, reason) {
        case (200, _):
            return CredentialFinding(
                advising: .accepted(
                    answer.fields["apns-id"].map { "APNs accepted the push, apns-id \($0)" }
                        ?? "APNs accepted the push"))
        case (_, let reason?) where device == nil && Self.proofs.contains(reason):
            return CredentialFinding(
                advising: .accepted("authenticated; nothing was sent (\(reason) for a token that no device has)"))
        default:
            return CredentialFinding(
                advising: .refused(status: answer.status, reason: reason ?? "Status\(answer.status)"))
        }
    }

    private static func fields(authority: String, topic: String?) -> [HTTP2Field] {
        let pushType = topic.map(APNSPushType.init(forTopic:)) ?? .background
        return [
            HTTP2Field(":method", "POST"), HTTP2Field(":scheme", "https"), HTTP2Field(":authority", authority),
            HTTP2Field("apns-push-type", pushType.rawValue), HTTP2Field("apns-priority", "\(pushType.defaultPriority)"),
            HTTP2Field("apns-expiration", "0"),
        ] + (topic.map { [HTTP2Field("apns-topic", $0)] } ?? [])
    }
}

extension APNSPushType {
    /// Creates the push type to which the topic's suffix belongs, or `background` if the topic has no suffix.
    fileprivate init(forTopic topic: String) {
        self =
            Self.allCases.filter { !$0.topicSuffix.isEmpty && topic.hasSuffix($0.topicSuffix) }
            .max { $0.topicSuffix.count < $1.topicSuffix.count } ?? .background
    }
}
