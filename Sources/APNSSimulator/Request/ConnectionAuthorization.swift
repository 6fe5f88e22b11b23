internal import PushSimulator

/// A validator of the `authorization` fields on one connection. A value usually equals the last accepted value, so one
/// comparison is enough.
struct ConnectionAuthorization {
    private let authority: ProviderTokenAuthority
    private var rules: ProviderTokenRules
    private var accepted: Accepted?
    /// The age of the accepted token when its use was last recorded, in seconds.
    private var notedAge: Int64 = 0

    /// An accepted value and its token. This is a class, so that reading it for each request copies nothing.
    private final class Accepted {
        let value: [UInt8]
        let token: ProviderToken

        init(value: [UInt8], token: ProviderToken) {
            self.value = value
            self.token = token
        }
    }

    init(authority: ProviderTokenAuthority, environment: SimulatorConfiguration.Environment) {
        self.authority = authority
        rules = ProviderTokenRules(environment: environment)
    }

    /// The last accepted token, or `nil` if no token was accepted.
    var token: ProviderToken? { accepted?.token }

    /// Validates the value of an `authorization` field.
    ///
    /// - Parameter now: the time in seconds since 1970.
    mutating func judge(_ value: UnsafeRawBufferPointer, at now: Int64) -> RequestProperties.Authorization {
        if let accepted, value.equals(accepted.value) {
            let reason =
                authority.refusal(of: accepted.token.keyID, topic: nil)
                ?? ProviderTokenRules.checkAge(accepted.token, at: now)
            let age = now - accepted.token.issuedAt
            if reason != nil || age > notedAge {
                notedAge = age
                authority.noteUse(of: accepted.token, refusal: reason, at: now)
            }
            return reason.map { .refused($0) } ?? .accepted
        }
        guard let token = authority.verify(value) else { return .refused(.invalidProviderToken) }
        let reason = authority.refusal(of: token.keyID, topic: nil) ?? rules.admit(token, at: now)
        authority.noteUse(of: token, refusal: reason, at: now)
        if let reason { return .refused(reason) }
        accepted = Accepted(value: Array(value), token: token)
        notedAge = now - token.issuedAt
        return .accepted
    }

    var hasAccepted: Bool {
        accepted != nil
    }
}
