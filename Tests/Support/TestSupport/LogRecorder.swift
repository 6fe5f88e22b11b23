package import Logging
import Foundations

/// A recorder of log lines, which are shown if a test fails.
package final class LogRecorder: Sendable {
    private let lines = Mutex<[String]>([])

    package init() {}

    package var text: String { lines.withLock { $0.suffix(40).joined(separator: "\n") } }

    package func logger(_ label: String) -> Logger {
        var logger = Logger(label: label) { _ in Handler(recorder: self) }
        logger.logLevel = .info
        return logger
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            recorder.lines.withLock { $0.append("\(event.level) \(event.message) \(all)") }
        }
    }
}
