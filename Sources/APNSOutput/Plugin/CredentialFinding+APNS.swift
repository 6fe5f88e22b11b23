import HTTP2Pool
package import PushModel

extension CredentialFinding {
    /// Creates a finding for this result, with advice for the operator.
    package init(advising result: Result) {
        let advice: String? =
            switch result {
            case .accepted, .unusable: nil
            case .unreachable: "the credential was not tested: check the network path to this host, and any proxy"
            case .refused(nil, let reason) where reason.hasPrefix("in the TLS"):
                "the certificate was revoked, has expired or is not a push certificate: import a new one"
            case .refused(let status, let reason): Self.advice[reason] ?? Self.advice(status: status)
            }
        self.init(result, advice: advice)
    }

    init(_ error: SingleRequestError) {
        let result: Result =
            switch error {
            case .certificateRefused(let why): .refused(status: nil, reason: "in the TLS handshake (\(why))")
            case .goAway(let data): .refused(status: nil, reason: APNSErrorBody.words(data))
            case .connectionLost(let why): .unreachable(why)
            case .timedOut: .unreachable("APNs did not answer in time")
            case .tooLong(let maximum): .unreachable("an answer of more than \(maximum) bytes is not from APNs")
            }
        self.init(advising: result)
    }

    private static func advice(status: Int?) -> String {
        switch status {
        case 429, 500, 502, 503, 504: "try again later"
        case 403: "the credential is refused: compare it with Apple's developer portal"
        default: "see docs/errors.md"
        }
    }

    private static let advice = [
        "InvalidProviderToken":
            "key, key id and team id do not match, or the key was revoked: compare them with Apple's developer portal",
        "BadEnvironmentKeyInToken": "the key is for the other environment: import it again with --environment",
        "BadEnvironmentKeyIdInToken": "the key is for the other environment: import it again with --environment",
        "BadCertificate": "the certificate was revoked or is not a push certificate: import a new one",
        "BadCertificateEnvironment": "the certificate is for the other environment",
        "TopicDisallowed": "the credential is not for this topic: name another with --app",
        "BadTopic": "--app is not a valid topic",
        "ExpiredProviderToken": "check the clocks of this machine and of the database server, which dates tokens",
        "TooManyProviderTokenUpdates": "the key had too many new tokens within 20 minutes: try again after that time",
        "BadDeviceToken": "the device token belongs to another environment",
        "DeviceTokenNotForTopic": "the device token belongs to another app: pass that app with --app",
        "Unregistered": "the credential was accepted, but the device token is dead",
        "ExpiredToken": "the credential was accepted, but the device token is dead",
        "MissingTopic": "name the app with --app",
        "Shutdown": "try again later",
    ]
}
