package import PushModel

/// A signed provider token and its time of issue on this process's token clock.
package struct ProviderToken: Sendable {
    package let token: Secret
    /// The time of issue in milliseconds of the token clock. It may be earlier than the real time of issue, but never
    /// later.
    package let issuedAt: Int64

    package init(token: Secret, issuedAt: Int64) {
        self.token = token
        self.issuedAt = issuedAt
    }

    package func age(at now: Int64) -> Int64 { now - issuedAt }
}
