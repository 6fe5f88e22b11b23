import Contract
import PushModel

/// The priority of this worker's consumers. It is low for a time after the worker could not connect to a provider, so
/// that the broker prefers workers that can. A value type without clock or I/O.
///
/// | event | effect |
/// |---|---|
/// | no connection to a provider, while the priority is normal | low for a minute, or twice as long as last time |
/// | no connection to a provider, while the priority is low | low for at least another minute |
/// | the time is over | normal |
/// | all unreachable providers have accepted a push | normal for at least a minute; the next length is a minute |
/// | an hour without such a failure | the next length is a minute |
///
/// The first row's limit is 16 minutes. A worker with a low priority still receives jobs for which workers with normal
/// priority have no room. It takes few jobs from waiting queues with jobs for unreachable providers (``slowed``).
struct ConsumerPriority {
    /// An output and an environment, which determine the host.
    private struct Provider: Hashable {
        let output: String
        let environment: PushEnvironment

        init(of outcome: Outcome) { (output, environment) = (outcome.job.job.output, outcome.job.environment) }
    }

    static let low: Int32 = -1
    private static let (first, longest): (Int64, Int64) = (60_000, 960_000)
    private static let forgotten: Int64 = 3_600_000

    /// The providers to which no connection could be made. The priority is low while there are any.
    private var unreachable: Set<Provider> = [] {
        didSet { if unreachable.isEmpty { slowed = QueueSet() } }
    }
    /// The waiting queues with jobs for these providers.
    private(set) var slowed = QueueSet()
    private var length: Int64 = 0
    private var end = Timestamp(milliseconds: 0)
    private var lastFailure = Timestamp(milliseconds: 0)
    /// The end of the time in which failures have no effect, because a provider has accepted a push. Failures of one
    /// credential beside accepted pushes of another would otherwise change the priority again and again.
    private var normalUntil = Timestamp(milliseconds: 0)

    private var isLow: Bool { !unreachable.isEmpty }

    /// Returns whether the priority is low because no connection could be made for this push or an earlier one to the
    /// same provider.
    func isLow(after outcome: Outcome) -> Bool {
        outcome.reason == Outcome.connectionFailed && unreachable.contains(Provider(of: outcome))
    }

    /// Handles a push for which no connection could be made. The push has no effect before ``normalUntil``, or if its
    /// output has no fixed hosts.
    ///
    /// - Parameter queue: the queue of the push's job.
    /// - Returns: the time until ``check(now:)`` must be called, in milliseconds, or `nil` if the priority does not
    ///   change.
    mutating func cannotConnect(_ outcome: Outcome, from queue: JobQueue?, now: Timestamp) -> Int? {
        // If the clock was set back, the remaining time would be too long.
        let normalFor = normalUntil.milliseconds - now.milliseconds
        guard outcome.job.traits.hasFixedHosts, normalFor <= 0 || normalFor > Self.first else { return nil }
        defer {
            lastFailure = now
            unreachable.insert(Provider(of: outcome))
            if let queue, queue.isWaiting { slowed.insert(queue) }
        }
        guard !isLow else {
            end = max(end, Timestamp(milliseconds: now.milliseconds + Self.first))
            return nil
        }
        let isForgotten = now.milliseconds - lastFailure.milliseconds >= Self.forgotten
        length = isForgotten ? Self.first : min(Self.longest, max(Self.first, length * 2))
        end = Timestamp(milliseconds: now.milliseconds + length)
        return Int(length)
    }

    /// Handles an accepted push.
    ///
    /// - Returns: whether the priority becomes normal.
    mutating func accepted(_ outcome: Outcome, now: Timestamp) -> Bool {
        guard isLow, unreachable.remove(Provider(of: outcome)) != nil, unreachable.isEmpty else { return false }
        length = 0
        normalUntil = Timestamp(milliseconds: now.milliseconds + Self.first)
        return true
    }

    /// Ends the low priority if its time is over.
    ///
    /// - Returns: the remaining time in milliseconds, or `nil` if the priority is normal.
    mutating func check(now: Timestamp) -> Int? {
        let left = end.milliseconds - now.milliseconds
        // The remaining time is too long if the clock was set back.
        if left <= 0 || left > Self.longest { unreachable = [] }
        return isLow ? Int(left) : nil
    }
}
