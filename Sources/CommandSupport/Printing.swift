import Foundation
import PushModel

/// Prints one line for operators. Characters that could control a terminal are escaped. Commands print only with the
/// functions of this file.
package func print(_ line: String) {
    Swift.print(line.printable)
}

/// Prints text on standard error, followed by a line end.
package func printError(_ line: String) {
    write(line.printableLines + "\n", to: .standardError)
}

/// Prints a help text or another text of several lines.
package func print(help text: String) {
    Swift.print(text.printableLines)
}

/// Prints JSON text on one line.
package func print(json text: String) {
    Swift.print(text.printableJSON)
}

/// Prints a value as JSON for other programs, with keys in snake case and in a fixed order.
package func printJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let text = String(decoding: try encoder.encode(value), as: UTF8.self)
    // Foundation writes an empty line in an empty array, which the split removes.
    for line in text.split(separator: "\n") { print(json: String(line)) }
}

/// Whether standard output is a terminal.
package var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

/// Clears the terminal and prints lines.
package func print(screen lines: [String]) {
    Swift.print("\u{1B}[H\u{1B}[2J" + lines.map(\.printable).joined(separator: "\n"))
    flushOutput()
}

/// Writes bytes to standard output. On a terminal, control characters are escaped. Otherwise, the bytes are written
/// unchanged.
package func printBytes(_ bytes: [UInt8]) throws {
    guard isTerminal else { return try FileHandle.standardOutput.write(contentsOf: bytes) }
    Swift.print(String(decoding: bytes, as: UTF8.self).printableLines, terminator: "")
}

/// Flushes the output, so that the reader of a pipe gets each line immediately.
package func flushOutput() { fflush(nil) }

@available(*, unavailable, message: "print one line of text")
package func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {}

private func write(_ text: String, to file: FileHandle) {
    // An error is ignored, because standard error may have no reader.
    try? file.write(contentsOf: Data(text.utf8))
}
