import Foundations
import Foundation
import Glibc
import Logging
package import MartletConfiguration
import PushModel
import Store

/// A sink that writes each log line to standard error. If systemd's journal reads the stream, each line begins with its
/// syslog priority.
package final class StandardError: LogSink {
    private final class Encoding: Sendable {
        let format: Mutex<LogFormat>
        private let resource: LogResource
        private let isJournal: Bool

        init(_ format: LogFormat, _ resource: LogResource, isJournal: Bool) {
            self.format = Mutex(format)
            (self.resource, self.isJournal) = (resource, isJournal)
        }

        func bytes(_ line: LogLine) -> [UInt8] {
            var bytes = isJournal ? Array("<\(line.level.priority)>".utf8) : []
            switch format.withLock({ $0 }) {
            case .text: bytes += line.text.utf8
            case .json: bytes += JSONLine.bytes(line, resource)
            }
            bytes.append(UInt8(ascii: "\n"))
            return bytes
        }
    }

    private let encoding: Encoding
    private let writer: LineWriter

    package init(
        format: LogFormat, resource: LogResource, environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        // The reader may close the pipe; SIGPIPE must not end the process.
        signal(SIGPIPE, SIG_IGN)
        let encoding = Encoding(
            format, resource, isJournal: Self.isJournal(environment["JOURNAL_STREAM"], file: STDERR_FILENO))
        self.encoding = encoding
        writer = LineWriter(file: STDERR_FILENO) { count in
            encoding.bytes(
                .warning(
                    .linesDropped, "Log lines were dropped because the reader was too slow or writing failed",
                    metadata: ["lines": "\(count)"]))
        }
    }

    package func change(format: LogFormat) { encoding.format.withLock { $0 = format } }

    package func take(_ line: LogLine) { writer.write(encoding.bytes(line)) }

    /// The number of lines dropped since the start.
    package var dropped: Int { writer.dropped }

    /// Waits up to one second for the waiting lines to be written.
    package func finish() { writer.finish() }

    /// Returns whether a file is the stream in systemd's variable `JOURNAL_STREAM`, which has the form `device:inode`
    /// (systemd.exec(5)). Child processes inherit the variable, but may write to a different file.
    package static func isJournal(_ stream: String?, file: Int32) -> Bool {
        guard let parts = stream?.split(separator: ":"), parts.count == 2,
            let device = UInt64(parts[0]), let inode = UInt64(parts[1])
        else { return false }
        var status = stat()
        return fstat(file, &status) == 0 && UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
    }
}

extension LogLine {
    fileprivate static func warning(_ event: EventName, _ message: String, metadata: Logger.Metadata) -> Self {
        LogLine(at: .now, level: .warning, event: event, message: message, metadata: metadata)
    }
}
