/// A parsed error message from libpq about a failed attempt to connect, in libpq's verbose form.
package struct ConnectText: Equatable {
    /// The message on one line, without repeated faults. If a server refuses a connection both with and without TLS,
    /// libpq reports the same fault twice.
    package let line: String
    /// The SQLSTATE after the severity, such as `28P01` in `FATAL: 28P01: password authentication failed`, or `nil` if
    /// the message contains none.
    package let sqlState: String?

    package init(_ text: String) {
        var lines: [String] = []
        var sqlState: String?
        for line in text.split(whereSeparator: { "\n\t".contains($0) }) where !line.hasPrefix("LOCATION:") {
            var line = String(line)
            if let match = line.firstMatch(of: #/:  ([0-9A-Z]{5}): /#), match.1.contains(where: \.isNumber) {
                sqlState = String(match.1)
                line.replaceSubrange(match.range, with: ": ")
            }
            if !lines.contains(line) { lines.append(line) }
        }
        self.line = lines.joined(separator: " ")
        self.sqlState = sqlState
    }
}
