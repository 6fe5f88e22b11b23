/// A script for `psql` that has the same effect as ``Migrations/apply()``.
enum MigrationScript {
    /// The statements that must precede the first migration.
    static let preparation = [
        "CREATE SCHEMA IF NOT EXISTS martlet",
        """
        CREATE TABLE martlet.schema_migrations (
            number bigint PRIMARY KEY, name text NOT NULL, checksum bytea NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now())
        """,
    ]

    private static let grants = "SELECT martlet.apply_grants();"
    /// A statement that calls the same function but returns no rows, so that the script lists the missing roles only at
    /// its end.
    private static let quietGrants = "DO $$ BEGIN PERFORM martlet.apply_grants(); END $$;"

    /// Returns a script that applies each migration in its own transaction. The first error ends the script.
    static func text(of migrations: [Migration], isFirst: Bool) -> String {
        guard !migrations.isEmpty else { return "" }
        var text = "\\set ON_ERROR_STOP on\n"
        if isFirst { text += "\n" + preparation.map { "\($0);\n" }.joined() }
        for migration in migrations {
            text += """

                -- \(migration.fileName)
                BEGIN;
                SET LOCAL lock_timeout = '10s';
                \(migration.sql.trimmingSuffix(while: \.isWhitespace).replacing(grants, with: quietGrants))
                INSERT INTO martlet.schema_migrations (number, name, checksum)
                VALUES (\(migration.number), '\(migration.name)', '\\x\(migration.checksum.hexPairs.joined())');
                COMMIT;

                """
        }
        return text
            + "\n-- grants rights to the existing roles, and lists the missing ones\n"
            + "SELECT unnest(martlet.apply_grants()) AS \"missing role\";\n"
    }
}

extension String {
    fileprivate func trimmingSuffix(while isCut: (Character) -> Bool) -> String {
        var text = self
        while let last = text.last, isCut(last) { text.removeLast() }
        return text.hasSuffix(";") ? text : text + ";"
    }
}
