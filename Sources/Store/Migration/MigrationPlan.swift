/// A comparison of this program's migrations with the migrations that were applied to a database.
struct MigrationPlan {
    struct Applied: Equatable {
        let number: Int
        let name: String
        let checksum: [UInt8]
    }

    let pending: [Migration]

    /// Determines the pending migrations.
    ///
    /// - Throws: ``StoreError`` with code `migrationsDiffer` if an applied migration is unknown or has a different
    ///   content, or if a pending migration has a lower number than an applied one.
    init(known: [Migration], applied: [Applied]) throws {
        let knownByNumber = Dictionary(known.map { ($0.number, $0) }) { first, _ in first }
        for row in applied {
            guard let migration = knownByNumber[row.number] else {
                throw StoreError(
                    .migrationsDiffer,
                    "the database has the unknown migration \(row.number) (\(row.name)): upgrade martlet"
                )
            }
            guard migration.checksum == row.checksum else {
                throw StoreError(
                    .migrationsDiffer,
                    "migration \(migration.fileName) differs from the one that was applied (checksum mismatch)")
            }
        }
        let appliedNumbers = Set(applied.map(\.number))
        pending = known.filter { !appliedNumbers.contains($0.number) }.sorted { $0.number < $1.number }
        if let last = applied.map(\.number).max(), let first = pending.first, first.number < last {
            throw StoreError(
                .migrationsDiffer,
                "migration \(first.fileName) was not applied before migration \(last): apply migrations in order")
        }
    }
}
