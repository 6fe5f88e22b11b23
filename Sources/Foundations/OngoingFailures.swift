public import Logging

/// A list of the failures that have begun and not ended. Each failure is logged when it begins and when it ends. The
/// list may be used on any thread.
public final class OngoingFailures: Sendable {
    public struct Failure: Sendable, Hashable {
        /// The event that was logged when the failure began.
        public let event: EventName
        /// The error of the last attempt.
        public let error: String

        public init(event: EventName, error: String) {
            self.event = event
            self.error = error
        }
    }

    private struct LastAttempt {
        let error: String
        let at: ContinuousClock.Instant
        let isOnDemand: Bool
    }

    /// The time for which a failure is listed after its last attempt, if attempts are made only on demand. The time is
    /// limited, because there may never be another attempt.
    private static let demandLasts = Duration.seconds(60)

    private let attempts = Mutex<[EventName: LastAttempt]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    public init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// All failures, sorted by their events' names.
    public var all: [Failure] {
        let now = now()
        return attempts.withLock { attempts in
            attempts.filter { !$0.value.isOnDemand || now - $0.value.at < Self.demandLasts }
                .map { Failure(event: $0.key, error: $0.value.error) }
        }.sorted { $0.event.name < $1.event.name }
    }

    /// Records a failed attempt. Logs the first failure in a row, or every failure if the event repeats.
    ///
    /// - Parameter isOnDemand: whether further attempts are made only on demand. Such a failure is listed for one
    ///   minute.
    public func began(
        _ event: EventName, _ message: @autoclosure () -> Logger.Message, _ error: String,
        level: Logger.Level = .warning, isOnDemand: Bool = false, metadata: Logger.Metadata = [:], to logger: Logger
    ) {
        let attempt = LastAttempt(error: error, at: now(), isOnDemand: isOnDemand)
        let isNew = attempts.withLock { $0.updateValue(attempt, forKey: event) == nil }
        guard isNew || event.repeats else { return }
        logger.log(level: level, event, message(), metadata: metadata.merging(["error": "\(error)"]) { $1 })
    }

    /// Records a successful attempt. Logs the success if the previous attempt failed.
    ///
    /// - Parameter failed: the event with which the failure began.
    public func ended(
        _ resumed: EventName, _ message: @autoclosure () -> Logger.Message, after failed: EventName, to logger: Logger
    ) {
        guard attempts.withLock({ $0.removeValue(forKey: failed) }) != nil else { return }
        logger.notice(resumed, message())
    }
}
