/// How many messages a project may send, and what is said above that.
public struct QuotaLimit: Hashable, Sendable {
    /// Messages in a period.
    public var messages = 600_000
    /// Milliseconds after which the whole quota is there again. Not aligned with clocks: a period begins with the first
    /// message after the last.
    public var periodMilliseconds: Int64 = 60_000
    /// Whether a refusal has `retry-after`: until the next period.
    public var tellsWhen = true

    public init() {}
}
