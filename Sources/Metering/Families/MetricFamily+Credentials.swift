extension MetricFamily {
    static let credentials = [refused, credentialExpiry, tokenTime, tokensMade]

    package static let refused = Self(
        "refused", .gauge,
        "1 while a provider refuses a credential (entirely or for a topic) or most device tokens of an app.",
        labels: ["credential", "environment", "topic", "reason"])
    /// The expiry times of credentials. Each output replaces the label `account` with its own term for an account.
    package static let credentialExpiry = Self(
        "credential_expiry_timestamp_seconds", .gauge, "Expiry time of a credential, in Unix seconds.",
        labels: ["credential", "label", "account"], scale: 1000)
    package static let tokenTime = Self(
        "provider_token_timestamp_seconds", .gauge, "Creation time of the provider token in use, in Unix seconds.",
        labels: ["credential"], scale: 1000)
    package static let tokensMade = Self(
        "provider_tokens_made_total", .counter, "Provider tokens that this worker has created for the fleet.",
        labels: ["credential"])
}
