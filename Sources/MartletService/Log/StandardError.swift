import Foundation
import Glibc
import Threading

/// Standard error: a line each, in one write. Where it is the journal's stream, each begins with its priority.
package final class StandardError: LogSink {
    private let format: Mutex<LogFormat>
    private let resource: LogResource
    private let isJournal: Bool

    package init(
        format: LogFormat, resource: LogResource, environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.format = Mutex(format)
        self.resource = resource
        isJournal = Self.isJournal(environment["JOURNAL_STREAM"], file: STDERR_FILENO)
    }

    package func change(format: LogFormat) { self.format.withLock { $0 = format } }

    package func take(_ line: LogLine) {
        // Under the lock, so that lines of threads don't get into each other where one takes several writes.
        format.withLock { format in
            var bytes = isJournal ? Array("<\(line.level.priority)>".utf8) : []
            switch format {
            case .text: bytes += line.text.utf8
            case .json: bytes += JSONLine.bytes(line, resource)
            }
            bytes.append(UInt8(ascii: "\n"))
            Self.write(bytes)
        }
    }

    /// Whether the file is that of systemd.exec(5)'s `JOURNAL_STREAM`: `device:inode`. Children inherit the variable and
    /// may write elsewhere.
    package static func isJournal(_ stream: String?, file: Int32) -> Bool {
        guard let parts = stream?.split(separator: ":"), parts.count == 2,
            let device = UInt64(parts[0]), let inode = UInt64(parts[1])
        else { return false }
        var status = stat()
        return fstat(file, &status) == 0 && UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
    }

    /// Standard error may be closed, or nobody reads it, which is no reason to end.
    private static func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { all in
            var rest = all[...]
            while !rest.isEmpty {
                let count = Glibc.write(STDERR_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 { rest = rest.dropFirst(count) } else if !canGoOn() { return }
            }
        }
    }

    private static func canGoOn() -> Bool {
        switch errno {
        case EINTR: return true
        case EAGAIN:
            var standardError = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            return poll(&standardError, 1, 1_000) == 1
        default: return false
        }
    }
}
