/// A refusal of a service account that lasts until it is cleared.
public struct AccountRefusal: Hashable, Sendable {
    /// The `error` of the token endpoint, such as `invalid_grant`, or `nil` to issue tokens.
    public var tokenError: String?
    /// The answer to messages of the account, or `nil` to judge them normally.
    public var sendFault: FCMReason?

    public init(tokenError: String? = nil, sendFault: FCMReason? = nil) {
        self.tokenError = tokenError
        self.sendFault = sendFault
    }
}
