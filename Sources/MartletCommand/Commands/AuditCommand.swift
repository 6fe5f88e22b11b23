import ArgumentParser
import CommandSupport
import PushModel
import Store

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "List the changes to apps and credentials, newest first.")

    @Option(help: "Only changes since this time (2026-11-21T00:00:00Z) or within this period (90m, 12h, 7d).")
    var since: AuditSince?

    @Option(help: "Only changes to this app.")
    var app: String?

    @Option(help: "Only changes to this credential. With --app, changes to either.")
    var credential: String?

    @Option(help: "The maximum number of changes.")
    var limit = 100

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
    }

    func run() async throws {
        let filter = AuditRepository.Filter(
            since: since?.time(before: .now), app: app, credential: credential?.lowercased())
        let entries = try await withDatabase(options, for: "audit") { _, pool in
            try await AuditRepository(pool).list(filter, limit: limit)
        }
        if json { return try printJSON(entries.map(AuditDescription.init)) }
        var table = Table(header: ["AT", "ROLE", "FROM", "CHANGE", "WHAT"])
        for entry in entries {
            table.append([
                entry.at.rfc3339, entry.setRole.map { "\(entry.role) as \($0)" } ?? entry.role,
                "\(entry.application)\(entry.address.map { " (\($0))" } ?? "")",
                "\(entry.operation) \(entry.table)\(entry.object.map { " \($0)" } ?? "")",
                entry.changes.compactMap { entry.text($0) }.joined(separator: ", "),
            ])
        }
        print(table)
    }
}

extension AuditEntry {
    /// Returns a changed column as text. For an inserted or deleted row, returns `nil` for empty columns, `created_at`
    /// and `updated_at`.
    fileprivate func text(_ change: Change) -> String? {
        switch (change.old, change.new) {
        case (nil, nil): operation == "update" ? "\(change.column) changed" : nil
        case (nil, let new?) where operation == "insert": field(change.column, new)
        case (let old?, nil) where operation == "delete": field(change.column, old)
        case (let old, let new): "\(change.column): \(old ?? "none") → \(new ?? "none")"
        }
    }

    private func field(_ column: String, _ value: String) -> String? {
        ["created_at", "updated_at"].contains(column) || value == "[]" ? nil : "\(column): \(value)"
    }
}

/// An audit entry as `--json` shows it.
private struct AuditDescription: Encodable {
    struct Change: Encodable {
        let column: String
        let old, new: String?
    }

    let at, role, application, operation, table: String
    let setRole, address, object: String?
    let changes: [Change]

    init(_ entry: AuditEntry) {
        at = entry.at.rfc3339
        role = entry.role
        setRole = entry.setRole
        application = entry.application
        address = entry.address
        operation = entry.operation
        table = entry.table
        object = entry.object
        changes = entry.changes.map { Change(column: $0.column, old: $0.old, new: $0.new) }
    }
}
