internal import Logging

/// A log of client errors with a limited number of lines, so that a faulty client cannot flood it. The event loop
/// resets the limit at regular intervals. Used on one event loop.
final class LimitedLog {
    private let logger: Logger
    private var logged = 0
    private static let mostLines = 20

    init(logger: Logger) {
        self.logger = logger
    }

    func say(_ message: Logger.Message, _ problem: String) {
        logged += 1
        guard logged <= Self.mostLines else { return }
        logger.notice(message, metadata: ["problem": "\(problem)"])
        if logged == Self.mostLines { logger.notice("further problems are counted, but not logged for a while") }
    }

    /// Resets the number of logged lines, so that more lines may be logged.
    func allowMore() {
        logged = 0
    }
}
