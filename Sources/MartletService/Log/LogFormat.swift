/// How lines are written.
public enum LogFormat: String, Sendable, CaseIterable {
    /// `2026-11-23T01:17:42.123Z warning job.rejected: A job was rejected job=order-1 reason="…"`
    case text
    /// An object a line, with OpenTelemetry's names.
    case json
}
