/// The format of log lines.
package enum LogFormat: String, Sendable, CaseIterable {
    /// Text, such as `2026-11-23T01:17:42.123Z warning job.rejected: A job was rejected job=order-1 reason="…"`.
    case text
    /// JSON objects, one per line, with OpenTelemetry's names.
    case json
}
