import PushModel

/// Decides which jobs are traced, by OpenTelemetry's names (`OTEL_TRACES_SAMPLER`). A value.
///
/// | a job | is traced |
/// |---|---|
/// | with a context, `parentbased_…` | as the context says |
/// | with a context, `traceidratio` | by the trace's id, as by everybody who decides so |
/// | without one, `…traceidratio` | by the job's id: all chunks, attempts and deliveries of a job, or none |
package struct TraceSampler: Sendable, Hashable {
    private enum Rule: Hashable {
        case never, always
        case share(Double)
    }

    package static let names = [
        "always_off", "always_on", "traceidratio", "parentbased_always_off", "parentbased_always_on",
        "parentbased_traceidratio",
    ]
    private static let parentBased = "parentbased_"

    private let rule: Rule
    private let followsParent: Bool

    /// - Parameter share: from 0 to 1; for those that go by it.
    /// - Returns: nil for a name that is none of ``names``.
    package init?(_ name: String, share: Double) {
        guard Self.names.contains(name) else { return nil }
        followsParent = name.hasPrefix(Self.parentBased)
        switch followsParent ? String(name.dropFirst(Self.parentBased.count)) : name {
        case "always_off": rule = .never
        case "always_on": rule = .always
        default: rule = .share(share)
        }
    }

    /// - Parameter parent: the context that the job has come with.
    package func samples(_ parent: TraceContext?, job: String) -> Bool {
        if let parent, followsParent { return parent.isSampled }
        return switch rule {
        case .never: false
        case .always: true
        case .share(let share): (parent.map { Self.part(of: $0.trace) } ?? StableHash.part(of: job)) < share
        }
    }

    private static func part(of trace: TraceID) -> Double { Double(trace.low >> 12) / Double(1 << 52) }
}
