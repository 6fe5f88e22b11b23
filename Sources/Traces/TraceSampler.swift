import PushModel

/// A sampler that selects the jobs to trace, with OpenTelemetry's names (`OTEL_TRACES_SAMPLER`). A value type.
///
/// | job | sampler | decision |
/// |---|---|---|
/// | with a context | `parentbased_…` | as in the context |
/// | with a context | `traceidratio` | by the trace id, as all samplers of this kind decide |
/// | without a context | `…traceidratio` | by the job id, so that all its chunks, attempts and deliveries agree |
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

    /// - Parameter share: the share of traced jobs for the samplers `…traceidratio`, from 0 to 1.
    /// - Returns: `nil` if the name is not in ``names``.
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
    /// - Parameter parent: the context that arrived with the job, or `nil` if there was none.
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
