import Foundation
import Testing

/// A row of the table in docs/runbook.md, "Outages": what the alerts, the status page and the commands show during an
/// outage.
struct OutageRow: Sendable {
    /// The name of the alert, or `nil` if no alert covers the outage.
    let alert: String?
    /// The kinds of problem, one of which must be open. If empty, no problem of severity `trouble` may be open.
    let kinds: [String]
    /// The parties, one of which is responsible for the problem.
    let parties: [String]
    /// The strings, one of which `martlet doctor` must print.
    let doctor: [String]
    /// The strings, one of which `martlet why` must print.
    let why: [String]

    static func all() throws -> [String: OutageRow] {
        let chapter = try #require(
            try Documents.text("docs/runbook.md").components(separatedBy: "## Outages\n").last?
                .components(separatedBy: "\n## ").first)
        let row = /(?m)^\| ([^|]+) \| (`\w+`|none) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/
        let rows = chapter.matches(of: row)
        return Dictionary(
            rows.map { row in
                (
                    String(row.1),
                    OutageRow(
                        alert: row.2 == "none" ? nil : row.2.trimmingCharacters(in: ["`"]),
                        kinds: words(row.3), parties: row.4.components(separatedBy: " or "),
                        doctor: words(row.5), why: words(row.6))
                )
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the words in backquotes of a cell, such as "`this` or `that`".
    private static func words(_ cell: Substring) -> [String] { cell.matches(of: /`([^`]+)`/).map { String($0.1) } }

    static func named(_ name: String) throws -> OutageRow { try #require(try all()[name], "docs/runbook.md: \(name)") }
}
