import Foundation
public import Logging

/// Standard error for log lines, whatever their messages, names and values hold: each is one line that a terminal only
/// shows (``Swift/String/printable``), and none fills the disk.
public struct PrintableLog: TextOutputStream, Sendable {
    private static let longestLine = 8_000

    public init() {}

    public static func handler(label: String) -> StreamLogHandler {
        StreamLogHandler(label: label, stream: PrintableLog())
    }

    /// - Parameter string: a whole line with its end, as `StreamLogHandler` writes them.
    public func write(_ string: String) {
        // Standard error may be closed, which is no reason to end.
        try? FileHandle.standardError.write(contentsOf: Data(Self.line(string).utf8))
    }

    package static func line(_ string: String) -> String {
        let text = string.hasSuffix("\n") ? string.dropLast() : Substring(string)
        guard text.utf8.count > longestLine else { return String(text).printable + "\n" }
        return String(text.prefix(longestLine)).printable + "…\n"
    }
}
