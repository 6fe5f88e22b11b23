/// The reasons for which APNs refuses a broadcast or a channel request, each with its status (Apple: "Sending channel
/// management requests to APNs", "Sending broadcast push notification requests to APNs").
enum BroadcastChannelReason: String {
    case featureNotEnabled = "FeatureNotEnabled"
    case missingChannelID = "MissingChannelId"
    case badChannelID = "BadChannelId"
    case channelNotRegistered = "ChannelNotRegistered"
    case badRequestPayload = "BadRequestPayload"
    case payloadEmpty = "PayloadEmpty"
    case badMessageID = "BadMessageId"
    case missingPushType = "MissingPushType"
    case invalidPushType = "InvalidPushType"
    case cannotCreateChannel = "CannotCreateChannelConfig"
    case badExpirationDate = "BadExpirationDate"
    case badPriority = "BadPriority"
    case topicDisallowed = "TopicDisallowed"
    /// Apple does not document this reason, but APNs sends it.
    case missingChannelQueueSize = "MissingChannelQueueSize"
    case badCertificateEnvironment = "BadCertificateEnvironment"
    case topicMismatch = "TopicMismatch"
    case missingProviderToken = "MissingProviderToken"
    case invalidProviderToken = "InvalidProviderToken"
    case expiredProviderToken = "ExpiredProviderToken"
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
    case forbidden = "Forbidden"
    case badPath = "BadPath"
    case methodNotAllowed = "MethodNotAllowed"
    case payloadTooLarge = "PayloadTooLarge"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"

    var status: Int {
        switch self {
        case .badCertificateEnvironment, .topicMismatch, .missingProviderToken, .invalidProviderToken,
            .expiredProviderToken, .badEnvironmentKeyInToken, .unrelatedKeyIDInToken, .forbidden:
            403
        case .badPath: 404
        case .methodNotAllowed: 405
        case .payloadTooLarge: 413
        case .tooManyProviderTokenUpdates: 429
        default: 400
        }
    }

    /// Creates the reason why a credential is not valid for an app, or returns `nil` if the credential is valid.
    init?(
        authorization: RequestProperties.Authorization, scope: TokenKey.Scope?, identity: ClientIdentity?,
        environment: SimulatorConfiguration.Environment, app: String
    ) {
        if let identity {
            guard identity.environments.contains(environment) else {
                self = .badCertificateEnvironment
                return
            }
            guard identity.topics.contains(app) else {
                self = .topicMismatch
                return
            }
            return nil
        }
        switch authorization {
        case .absent: self = .missingProviderToken
        case .refused(let reason): self.init(reason)
        case .accepted:
            guard scope?.covers(topic: app) == false else { return nil }
            self = .topicMismatch
        }
    }

    /// Creates the reason that corresponds to a refusal of the credential for pushes to devices.
    init(_ reason: RejectionReason) {
        self = BroadcastChannelReason(rawValue: reason.rawValue) ?? .invalidProviderToken
    }
}
