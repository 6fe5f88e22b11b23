/// The number of messages that a project may send in a period, and the form of the refusal of further messages.
public struct QuotaLimit: Hashable, Sendable {
    /// The maximum number of messages in a period.
    public var messages = 600_000
    /// The length of a period, in milliseconds. The full quota is available again after a period. A period begins with
    /// the first message after the previous period, regardless of the clock.
    public var periodMilliseconds: Int64 = 60_000
    /// Whether a refusal contains a `retry-after` field with the time until the next period.
    public var sendsRetryAfter = true

    public init() {}
}
