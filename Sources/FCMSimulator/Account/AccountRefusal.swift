/// What is wrong with a service account until it is mended.
public struct AccountRefusal: Hashable, Sendable {
    /// The token endpoint's `error` for it, `invalid_grant` for instance; nil: it gets tokens.
    public var tokenError: String?
    /// The answer to its messages; nil: they are judged as others are.
    public var sendFault: FCMReason?

    public init(tokenError: String? = nil, sendFault: FCMReason? = nil) {
        self.tokenError = tokenError
        self.sendFault = sendFault
    }
}
