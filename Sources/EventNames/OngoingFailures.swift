public import Logging
import Threading

/// The failures that have begun and not ended. Each is logged when it begins and when it ends, and is listed in between.
/// May be used on any thread.
public final class OngoingFailures: Sendable {
    public struct Failure: Sendable, Hashable {
        /// The event that was logged when it began.
        public let event: EventName
        /// The last error.
        public let error: String

        public init(event: EventName, error: String) {
            self.event = event
            self.error = error
        }
    }

    private let errors = Mutex<[EventName: String]>([:])

    public init() {}

    /// All failures, sorted by their events' names.
    public var all: [Failure] {
        errors.withLock { errors in errors.map { Failure(event: $0.key, error: $0.value) } }
            .sorted { $0.event.name < $1.event.name }
    }

    /// Records that an attempt has failed. Logs the first of several in a row, or each if the event repeats.
    public func began(
        _ event: EventName, _ message: @autoclosure () -> Logger.Message, _ error: String,
        level: Logger.Level = .warning, metadata: Logger.Metadata = [:], to logger: Logger
    ) {
        let isNew = errors.withLock { $0.updateValue(error, forKey: event) == nil }
        guard isNew || event.repeats else { return }
        logger.log(level: level, event, message(), metadata: metadata.merging(["error": "\(error)"]) { $1 })
    }

    /// Records that an attempt has succeeded. Logs it if the attempt before failed.
    ///
    /// - Parameter failed: the event with which the failure began.
    public func ended(
        _ resumed: EventName, _ message: @autoclosure () -> Logger.Message, after failed: EventName, to logger: Logger
    ) {
        guard errors.withLock({ $0.removeValue(forKey: failed) }) != nil else { return }
        logger.notice(resumed, message())
    }
}
