/// A fault in a message that is found before sending.
package struct WebPushFault: Error, Hashable, Sendable {
    /// Martlet's own reason. docs/errors.md lists all of them.
    package let reason: String

    private init(_ reason: String) { self.reason = reason }

    /// The endpoint is not a valid URL for Web Push, regardless of the service.
    package static let badEndpoint = WebPushFault("BadEndpoint")
    /// The configuration does not allow messages to the endpoint's host.
    package static let endpointNotAllowed = WebPushFault("EndpointNotAllowed")
    /// The endpoint's host has only disallowed addresses, for example addresses of a private network.
    package static let addressNotAllowed = WebPushFault("AddressNotAllowed")
    /// The subscription has `keys` that do not conform to RFC 8291.
    package static let badKeys = WebPushFault("BadSubscriptionKeys")
    /// The message has a body, but the subscription has no keys.
    package static let missingKeys = WebPushFault("MissingSubscriptionKeys")
    /// The subscription's `expirationTime` has passed.
    package static let subscriptionExpired = WebPushFault("SubscriptionExpired")
    package static let payloadTooLarge = WebPushFault("PayloadTooLarge")
    package static let badPushType = WebPushFault("InvalidPushType")
    /// The payload does not have the form of a declarative message.
    package static let badDeclarativePayload = WebPushFault("BadDeclarativePayload")
    /// The cryptographic library failed to encrypt a message that passed all checks.
    package static let encryptionFailed = WebPushFault("EncryptionFailed")
}
