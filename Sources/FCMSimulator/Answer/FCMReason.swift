/// The reasons for which FCM and its front end refuse a message. A name is FCM's error code, Google's status, or a
/// description of a special case.
public enum FCMReason: String, CaseIterable, Codable, Sendable {
    // Refusals by the service itself.
    case invalidArgument = "INVALID_ARGUMENT"
    case invalidPayload = "INVALID_PAYLOAD"
    case invalidToken = "INVALID_TOKEN"
    case apnsTokenDisabled = "APNS_TOKEN_DISABLED"
    case unauthenticated = "UNAUTHENTICATED"
    case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
    case permissionDenied = "PERMISSION_DENIED"
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    case unregistered = "UNREGISTERED"
    case notFound = "NOT_FOUND"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case deviceQuotaExceeded = "DEVICE_QUOTA_EXCEEDED"
    case internalError = "INTERNAL"
    case unspecified = "UNSPECIFIED_ERROR"
    case unavailable = "UNAVAILABLE"
    // Refusals by the front end, in HTML.
    case forbidden = "FORBIDDEN"
    case pathNotFound = "PATH_NOT_FOUND"
    case methodNotAllowed = "METHOD_NOT_ALLOWED"
    case badGateway = "BAD_GATEWAY"

    public var status: Int {
        switch self {
        case .invalidArgument, .invalidPayload, .invalidToken, .apnsTokenDisabled: 400
        case .unauthenticated, .thirdPartyAuthError: 401
        case .permissionDenied, .senderIDMismatch, .forbidden: 403
        case .unregistered, .notFound, .pathNotFound: 404
        case .methodNotAllowed: 405
        case .quotaExceeded, .deviceQuotaExceeded: 429
        case .internalError, .unspecified: 500
        case .badGateway: 502
        case .unavailable: 503
        }
    }

    /// The `status` in the body, or `nil` if the body is HTML.
    var word: String? {
        switch self {
        case .invalidArgument, .invalidPayload, .invalidToken, .apnsTokenDisabled: "INVALID_ARGUMENT"
        case .unauthenticated, .thirdPartyAuthError: "UNAUTHENTICATED"
        case .permissionDenied, .senderIDMismatch: "PERMISSION_DENIED"
        case .unregistered, .notFound: "NOT_FOUND"
        case .quotaExceeded, .deviceQuotaExceeded: "RESOURCE_EXHAUSTED"
        case .internalError, .unspecified: "INTERNAL"
        case .unavailable: "UNAVAILABLE"
        case .forbidden, .pathNotFound, .methodNotAllowed, .badGateway: nil
        }
    }

    /// The `errorCode` of the FcmError in the details, or `nil` if there is no FcmError.
    var errorCode: String? {
        switch self {
        case .invalidArgument, .invalidToken, .apnsTokenDisabled: "INVALID_ARGUMENT"
        case .quotaExceeded, .deviceQuotaExceeded: "QUOTA_EXCEEDED"
        case .thirdPartyAuthError, .senderIDMismatch, .unregistered, .internalError, .unspecified, .unavailable:
            rawValue
        case .invalidPayload, .unauthenticated, .permissionDenied, .notFound, .forbidden, .pathNotFound,
            .methodNotAllowed, .badGateway:
            nil
        }
    }

    /// The default `message` in the body.
    var message: String {
        switch self {
        case .invalidArgument, .invalidPayload: "Request contains an invalid argument."
        case .invalidToken: "The registration token is not a valid FCM registration token"
        case .apnsTokenDisabled: "APNs device token is disabled"
        case .unauthenticated: "Request had invalid authentication credentials. \(Self.expectation)"
        // As on the live service, the message blames the bearer although the app's key for APNs or Web Push is at
        // fault.
        case .thirdPartyAuthError: "Request is missing required authentication credential. \(Self.expectation)"
        case .permissionDenied:
            "Permission 'cloudmessaging.messages.create' denied on resource '//cloudresourcemanager.googleapis.com/projects'"
                + " (or it may not exist)."
        case .senderIDMismatch: "SenderId mismatch"
        case .unregistered, .notFound: "Requested entity was not found."
        case .quotaExceeded:
            "Quota exceeded for quota metric 'Send requests' and limit 'Send requests per minute' of service "
                + "'fcm.googleapis.com'."
        case .deviceQuotaExceeded: "Message rate exceeded for this device."
        case .internalError, .unspecified: "Internal error encountered."
        case .unavailable: "The service is currently unavailable."
        case .forbidden: "403. That's an error. Your client does not have permission to get the URL from this server."
        case .pathNotFound: "404. That's an error. The requested URL was not found on this server."
        case .methodNotAllowed: "405. That's an error. The request method is inappropriate for the URL."
        case .badGateway:
            "502. That's an error. The server encountered a temporary error. Please try again in 30 seconds."
        }
    }

    private static let expectation =
        "Expected OAuth 2 access token, login cookie or other valid authentication credential. See "
        + "https://developers.google.com/identity/sign-in/web/devconsole-project."
}
