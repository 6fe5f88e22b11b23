package import PushModel

/// A signed token as this process knows it.
package struct ProviderToken: Sendable {
    package let token: Secret
    /// By the process' own clock for tokens, in milliseconds; rather too early than too late.
    package let issuedAt: Int64

    package init(token: Secret, issuedAt: Int64) {
        self.token = token
        self.issuedAt = issuedAt
    }

    package func age(at now: Int64) -> Int64 { now - issuedAt }
}
