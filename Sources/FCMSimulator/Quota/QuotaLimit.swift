/// The number of messages that a project may send, and the form of the refusal beyond it.
public struct QuotaLimit: Hashable, Sendable {
    /// The maximum number of messages in a period.
    public var messages = 600_000
    /// The length of a period in milliseconds, after which the full quota is available again. Periods are not aligned
    /// with the clock. A period begins with the first message after the previous one.
    public var periodMilliseconds: Int64 = 60_000
    /// Whether a refusal contains `retry-after` with the time until the next period.
    public var tellsWhen = true

    public init() {}
}
