import APNSOutput
import Testing

@Suite struct APNSReasonTests {
    /// The reasons in the table of Apple's "Handling notification responses from APNs", each with its status.
    @Test(
        arguments: [
            (400, "BadCollapseId", .refused), (400, "BadDeviceToken", .refused), (400, "BadExpirationDate", .refused),
            (400, "BadMessageId", .refused), (400, "BadPriority", .refused), (400, "BadTopic", .refused),
            (400, "DeviceTokenNotForTopic", .refused), (400, "DuplicateHeaders", .refused),
            (400, "IdleTimeout", .retryOnNewConnection), (400, "InvalidPushType", .refused),
            (400, "MissingDeviceToken", .refused), (400, "MissingTopic", .refused), (400, "PayloadEmpty", .refused),
            (400, "TopicDisallowed", .topicRefused), (403, "BadCertificate", .credentialRefused),
            (403, "BadCertificateEnvironment", .credentialRefused),
            (403, "ExpiredProviderToken", .credentialRetryOnNewConnection),
            (403, "Forbidden", .forbidden), (403, "InvalidProviderToken", .credentialRefused),
            (403, "MissingProviderToken", .credentialRefused),
            (403, "UnrelatedKeyIdInToken", .credentialRetryOnNewConnection),
            (403, "BadEnvironmentKeyIdInToken", .credentialRefused),
            (403, "BadEnvironmentKeyInToken", .credentialRefused), (404, "BadPath", .refused),
            (405, "MethodNotAllowed", .refused), (410, "ExpiredToken", .tokenDead), (410, "Unregistered", .tokenDead),
            (413, "PayloadTooLarge", .refused), (429, "TooManyProviderTokenUpdates", .retryLaterOnNewConnection),
            (429, "TooManyRequests", .retryLater), (500, "InternalServerError", .retryLater),
            (503, "ServiceUnavailable", .retryLater), (503, "Shutdown", .retryOnNewConnection),
        ] as [(Int, String, APNSAnswerClass)])
    func classifiesDocumentedReasons(status: Int, reason: String, expected: APNSAnswerClass) {
        #expect(APNSReason.classify(status: status, reason: reason) == expected)
    }

    @Test(
        arguments: [
            (400, .refused), (403, .unknownRefused), (404, .refused), (405, .refused), (408, .retryLater),
            (421, .retryLater),
            (410, .tokenDead), (413, .refused), (418, .refused), (429, .retryLater), (500, .retryLater),
            (502, .retryLater), (503, .retryLater), (504, .retryLater), (599, .retryLater),
        ] as [(Int, APNSAnswerClass)])
    func classifiesUnknownReasonsByStatus(status: Int, expected: APNSAnswerClass) {
        #expect(APNSReason.classify(status: status, reason: nil) == expected)
        #expect(APNSReason.classify(status: status, reason: "MadeUpLater") == expected)
        #expect(APNSReason.classify(status: status, reason: "unregistered") == expected, "reasons are case-sensitive")
    }

    /// The reasons in Apple's tables for broadcasts and for channel management that are not listed above.
    @Test(
        arguments: [
            (400, "FeatureNotEnabled", .topicRefused), (400, "MissingChannelId", .refused),
            (400, "BadChannelId", .refused), (400, "ChannelNotRegistered", .refused),
            (400, "BadRequestParams", .refused), (400, "BadRequestPayload", .refused),
            (400, "MissingPushType", .refused), (400, "CannotCreateChannelConfig", .topicRefused),
            (400, "MissingChannelQueueSize", .refused), (403, "TopicMismatch", .topicRefused),
            (503, "Service Unavailable", .retryLater),
        ] as [(Int, String, APNSAnswerClass)])
    func classifiesBroadcastReasons(status: Int, reason: String, expected: APNSAnswerClass) {
        #expect(APNSReason.classify(status: status, reason: reason) == expected)
    }
}
