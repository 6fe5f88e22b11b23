import HTTP2Pool
import HTTP2Session
public import NIOCore
public import PushModel

/// Finds out whether APNs accepts a credential, by one request on a connection of its own.
///
/// APNs looks at the credential first and at the device token last. So without a device token the request goes to a
/// token that no device has, 32 bytes of zero: that it is called a bad one proves that the credential is good, and
/// nothing is delivered. A key that is not limited to topics may do without one, too: then APNs misses the topic.
public struct APNSCredentialCheck: Sendable {
    private static let tokenOfNobody = String(repeating: "0", count: 64)
    /// What APNs says when it has nothing against the credential.
    private static let proofs: Set<String> = [
        "BadDeviceToken", "DeviceTokenNotForTopic", "MissingTopic", "MissingDeviceToken", "Unregistered",
        "ExpiredToken",
    ]
    /// The app is woken, and nothing is shown.
    private static let payload = Array(#"{"aps":{"content-available":1}}"#.utf8)

    private let configuration: APNSConfiguration
    private let tokens: any SharedTokenStore
    private let eventLoop: any EventLoop

    /// - Parameter tokens: where a key's provider token comes from, the same that the workers use.
    public init(configuration: APNSConfiguration, tokens: any SharedTokenStore, eventLoop: any EventLoop) {
        self.configuration = configuration
        self.tokens = tokens
        self.eventLoop = eventLoop
    }

    /// - Parameters:
    ///   - device: a device token in hex, to which a background push is sent; nil: nothing is delivered.
    ///   - topic: of the request; nil: the shortest of the credential's, if it is limited to any.
    public func run(
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
    /// The type that the topic's suffix belongs to; a background push where it has none.
    fileprivate init(forTopic topic: String) {
        self =
            Self.allCases.filter { !$0.topicSuffix.isEmpty && topic.hasSuffix($0.topicSuffix) }
            .max { $0.topicSuffix.count < $1.topicSuffix.count } ?? .background
    }
}
