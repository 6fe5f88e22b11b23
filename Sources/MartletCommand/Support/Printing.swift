import Foundation
import PushModel

/// Prints one line for a person: what would move a terminal is written out. All that the command says goes through the
/// functions of this file.
package func print(_ line: String) {
    Swift.print(line.printable)
}

/// Prints a line on standard error.
package func printError(_ line: String) {
    write(line.printableLines + "\n", to: .standardError)
}

/// Prints help, or a text of ours that has lines.
package func print(help text: String) {
    Swift.print(text.printableLines)
}

/// Prints text that is JSON, on one line.
package func print(json text: String) {
    Swift.print(text.printableJSON)
}

/// Prints a value as JSON for other programs, with keys in snake case and in a fixed order.
package func printJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let text = String(decoding: try encoder.encode(value), as: UTF8.self)
    // The only empty line is what Foundation has in a list of nothing.
    for line in text.split(separator: "\n") { print(json: String(line)) }
}

/// Whether a person looks at what is printed.
var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

/// Prints lines in place of all that is on the terminal.
func print(screen lines: [String]) {
    Swift.print("\u{1B}[H\u{1B}[2J" + lines.map(\.printable).joined(separator: "\n"))
    flushOutput()
}

/// Writes bytes as they are, for a file or another program; a person at a terminal gets text that it only shows.
package func printBytes(_ bytes: [UInt8]) throws {
    guard isTerminal else { return try FileHandle.standardOutput.write(contentsOf: bytes) }
    Swift.print(String(decoding: bytes, as: UTF8.self).printableLines, terminator: "")
}

/// Hands on what was printed: whoever reads it through a pipe wants each line at once.
package func flushOutput() { fflush(nil) }

@available(*, unavailable, message: "print one line of text")
package func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {}

private func write(_ text: String, to file: FileHandle) {
    // Nobody may be there to read it.
    try? file.write(contentsOf: Data(text.utf8))
}
