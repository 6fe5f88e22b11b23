/// What libpq says of a connection that did not come about, in its verbose form.
package struct ConnectText: Equatable {
    /// On one line, each fault once: without TLS a server that refuses it with TLS says the same again.
    package let line: String
    /// The code behind the severity: `FATAL:  28P01: password authentication failed`.
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
