import PushModel

/// A sampler that selects the jobs to trace. It is configured with a sampler name of OpenTelemetry
/// (`OTEL_TRACES_SAMPLER`). A value type without clock or I/O.
///
/// | job | sampler | decision |
/// |---|---|---|
/// | with a trace context | `parentbased_…` | the decision in the context |
/// | with a trace context | `traceidratio` | by the trace id |
/// | without a trace context | `…traceidratio` | by the job id, so that all chunks, attempts and deliveries agree |
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

    /// Creates the sampler with the given name, or returns `nil` if the name is not in ``names``.
    ///
    /// - Parameter share: the share of jobs that the samplers `…traceidratio` select, from 0 to 1.
    package init?(_ name: String, share: Double) {
        guard Self.names.contains(name) else { return nil }
        followsParent = name.hasPrefix(Self.parentBased)
        switch followsParent ? String(name.dropFirst(Self.parentBased.count)) : name {
        case "always_off": rule = .never
        case "always_on": rule = .always
        default: rule = .share(share)
        }
    }

    /// Returns whether to trace a job.
    ///
    /// - Parameter parent: the trace context that arrived with the job, or `nil` if there was none.
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
