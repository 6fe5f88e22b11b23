import HTTP2Pool

/// The reason why a request about channels failed. The description includes the next step if one is known.
package enum BroadcastChannelError: Error, Hashable, CustomStringConvertible {
    /// APNs refused the request. `reason` is `nil` if the answer contains no reason.
    case refused(status: Int, reason: String?)
    /// APNs did not answer within the request timeout.
    case timedOut
    /// The connection could not be made, or it was lost before the answer arrived. APNs may have carried out the
    /// request.
    case connectionLost(String)
    /// The answer does not have the documented form.
    case unexpected(String)
    /// The bundle id cannot be part of a request path.
    case badApp(String)

    init(_ error: SingleRequestError) {
        self =
            switch error {
            case .timedOut: .timedOut
            case .connectionLost(let why), .certificateRefused(let why): .connectionLost(why)
            case .goAway(let data): .connectionLost("APNs sent GOAWAY: \(APNSErrorBody.words(data))")
            case .tooLong(let maximum): .unexpected("a body longer than \(maximum) bytes")
            }
    }

    package var description: String {
        switch self {
        case .refused(let status, let reason):
            ["APNs refused: \(status)", reason, reason.flatMap(Self.advice).map { "(\($0))" }]
                .compactMap { $0 }.joined(separator: " ")
        case .timedOut: "APNs did not answer in time; 'martlet channel list' shows whether the request was carried out"
        case .connectionLost(let why): "no connection to APNs: \(why)"
        case .unexpected(let what): "APNs returned an undocumented answer: \(what)"
        case .badApp(let app): "\(app) is not a bundle id"
        }
    }

    private static func advice(for reason: String) -> String? {
        switch reason {
        case "FeatureNotEnabled": "enable the broadcast capability of this app id in Apple's developer portal"
        case "CannotCreateChannelConfig": "an app can have 10,000 channels in each environment: delete some"
        case "ChannelNotRegistered": "there is no such channel in this environment"
        case "BadChannelId": "pass the id that 'martlet channel create' printed"
        case "TopicMismatch", "TopicDisallowed":
            "the credential is not for this app; pass the bundle id without a suffix"
        case "InvalidProviderToken", "MissingProviderToken", "BadCertificate", "BadCertificateEnvironment",
            "BadEnvironmentKeyInToken", "BadEnvironmentKeyIdInToken", "Forbidden":
            "the credential is refused: see 'martlet credential list'"
        case "ExpiredProviderToken": "check the clock of the database server, which dates tokens"
        case "TooManyRequests", "TooManyProviderTokenUpdates", "InternalServerError", "ServiceUnavailable",
            "Service Unavailable", "Shutdown":
            "try again later"
        default: nil
        }
    }
}
