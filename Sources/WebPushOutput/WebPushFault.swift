/// Why a push can't be sent, found before anything is sent.
package struct WebPushFault: Error, Hashable, Sendable {
    /// Ours; docs/errors.md lists them.
    package let reason: String

    private init(_ reason: String) { self.reason = reason }

    /// The endpoint is no URL that a message may go to, whoever the service is.
    package static let badEndpoint = WebPushFault("BadEndpoint")
    /// Nobody has said that messages may go to that host.
    package static let endpointNotAllowed = WebPushFault("EndpointNotAllowed")
    /// The host has no allowed address, for example only addresses of a private network.
    package static let addressNotAllowed = WebPushFault("AddressNotAllowed")
    /// `keys` is there, and not what RFC 8291 asks for.
    package static let badKeys = WebPushFault("BadSubscriptionKeys")
    /// A message with a body needs keys.
    package static let missingKeys = WebPushFault("MissingSubscriptionKeys")
    /// Its `expirationTime` has passed.
    package static let subscriptionExpired = WebPushFault("SubscriptionExpired")
    package static let payloadTooLarge = WebPushFault("PayloadTooLarge")
    package static let badPushType = WebPushFault("InvalidPushType")
    /// A declarative message has another form.
    package static let badDeclarativePayload = WebPushFault("BadDeclarativePayload")
    /// The library refused to encrypt what has passed all checks.
    package static let encryptionFailed = WebPushFault("EncryptionFailed")
}
