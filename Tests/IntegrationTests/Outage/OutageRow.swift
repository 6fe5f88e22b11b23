import Foundation
import Testing

/// A row of the table in docs/runbook.md, "Outages": what the alerts, the status page and the commands show during an
/// outage.
struct OutageRow: Sendable {
    /// The name of the alert, or `nil` if no alert covers the outage.
    let alert: String?
    /// The kinds of problem. At least one of them must be open. If the list is empty, no problem of severity `trouble`
    /// may be open.
    let kinds: [String]
    /// The parties that may be responsible for the problem. The problem must name one of them.
    let parties: [String]
    /// The strings of which `martlet doctor` must print at least one.
    let doctor: [String]
    /// The strings of which `martlet why` must print at least one.
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
