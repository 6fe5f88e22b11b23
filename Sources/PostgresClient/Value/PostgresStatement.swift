/// An SQL statement with its parameters `$1`, `$2`, …
package struct PostgresStatement: Sendable, Hashable {
    package var sql: String
    package var parameters: [PostgresValue]

    package init(_ sql: String, _ parameters: [PostgresValue] = []) {
        self.sql = sql
        self.parameters = parameters
    }
}
