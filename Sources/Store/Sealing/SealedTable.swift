import PostgresClient
import PushModel

/// A table with a column of sealed secrets, for ``Rekeying``.
struct SealedTable {
    struct Row {
        let id: String
        let sealed: SealedSecret
        let sealedRow: SealedRow

        init(_ row: PostgresRow) throws {
            id = try row["id"].uuid
            sealed = SealedSecret(bytes: try row["sealed"].bytes, masterKeyID: try row["master_key_id"].text)
            sealedRow = SealedRow(
                table: try row["table"].text, id: id, kind: try row["kind"].text, names: try row["names"].textArray,
                output: try row["output"].text)
        }
    }

    /// The query for the columns of a ``Row``.
    let rows: String
    /// The statement that replaces a secret if it is unchanged. Its parameters are the id, the old bytes, the new bytes
    /// and the id of the new master key.
    let replace: String

    static let all = [credentials, providerTokens]
    /// An id that is lower than the id of every row.
    static let beforeTheFirst = "00000000-0000-0000-0000-000000000000"

    private static let credentials = SealedTable(
        rows: """
            SELECT id, 'martlet.credentials' AS table, kind, ARRAY[account, coalesce(key_id, ''), fingerprint] AS names,
                output, sealed_secret AS sealed, master_key_id FROM martlet.credentials
            """,
        replace: """
            UPDATE martlet.credentials SET sealed_secret = $3, master_key_id = $4 WHERE id = $1 AND sealed_secret = $2
            """)

    private static let providerTokens = SealedTable(
        rows: """
            SELECT credential AS id, 'martlet.provider_tokens' AS table, 'jwt' AS kind, '{}'::text[] AS names,
                '\(Job.defaultOutput)' AS output, sealed_token AS sealed, master_key_id FROM martlet.provider_tokens
            """,
        replace: """
            UPDATE martlet.provider_tokens SET sealed_token = $3, master_key_id = $4
            WHERE credential = $1 AND sealed_token = $2
            """)
}
