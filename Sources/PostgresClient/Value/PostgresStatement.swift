/// An SQL statement with its parameters `$1`, `$2`, …
public struct PostgresStatement: Sendable, Hashable {
    public var sql: String
    public var parameters: [PostgresValue]

    public init(_ sql: String, _ parameters: [PostgresValue] = []) {
        self.sql = sql
        self.parameters = parameters
    }
}
