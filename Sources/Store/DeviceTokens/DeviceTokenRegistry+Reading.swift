import PostgresClient
package import PushModel

extension DeviceTokenRegistry {
    /// Returns the records of a token, one for each app and environment.
    ///
    /// - Parameter form: the form of the output's addresses.
    package func show(token: String, output: String, form: RecipientForm) async throws -> [DeviceToken] {
        let filed = FiledAddress(form.canonical(token))
        // The primary key begins with output, app and environment. The query steps through the existing combinations of
        // these columns and looks up the token in each combination.
        return try await pool.query(
            """
            WITH RECURSIVE place AS (
                (SELECT app, environment FROM martlet.device_tokens WHERE output = $1
                    ORDER BY app, environment LIMIT 1)
                UNION ALL
                SELECT next.app, next.environment FROM place, LATERAL (
                    SELECT app, environment FROM martlet.device_tokens AS token
                    WHERE output = $1 AND (token.app, token.environment) > (place.app, place.environment)
                    ORDER BY app, environment LIMIT 1) AS next)
            SELECT \(DeviceTokenSQL.columns) FROM place JOIN martlet.device_tokens USING (app, environment)
            WHERE output = $1 AND token = $2 ORDER BY app, environment
            """, [.text(output), .text(filed.token)]
        ).map(Self.deviceToken)
    }

    /// Calls `page` with the dead tokens that were marked at or after a time, oldest mark first.
    ///
    /// All pages show the same moment. The database can't remove old row versions until `page` has handled the last
    /// page.
    ///
    /// - Returns: the time at which the next call must begin, so that no mark is left out or repeated. Marks at or
    ///   after the returned time were not passed to `page`.
    @discardableResult
    package func deadTokens(
        since time: Timestamp, app: String? = nil, environment: PushEnvironment? = nil, pageSize: Int = 10_000,
        _ page: ([DeviceToken]) async throws -> Void
    ) async throws -> Timestamp {
        try await pool.transaction { connection in
            let end = try await Self.marksCompleteUntil(connection)
            try await connection.query(
                """
                DECLARE dead NO SCROLL CURSOR FOR SELECT \(DeviceTokenSQL.columns) FROM martlet.device_tokens
                WHERE unregistered_at IS NOT NULL AND marked_at >= $1 AND marked_at < $2
                    AND ($3::text IS NULL OR app = $3)
                    AND ($4::martlet.environment IS NULL OR environment = $4)
                ORDER BY marked_at
                """,
                [
                    .timestamp(milliseconds: time.milliseconds), .timestamp(milliseconds: end.milliseconds), .text(app),
                    .text(environment?.rawValue),
                ])
            while true {
                let rows = try await connection.query("FETCH FORWARD \(max(pageSize, 1)) FROM dead").map(
                    Self.deviceToken)
                // The returned time is never before `time`, even if `time` is later than all marks.
                if rows.isEmpty { return max(end, time) }
                try await page(rows)
            }
        }
    }

    /// Returns the time of death of each dead token, by the index of its key in `keys`.
    package func deaths(among keys: [DeviceTokenKey]) async throws -> [Int: Timestamp] {
        guard !keys.isEmpty else { return [:] }
        // LIMIT enforces one primary-key lookup per token. Without it, the planner might read all dead tokens if it
        // misjudges their number.
        let rows = try await pool.query(
            """
            SELECT place, unregistered_at
            FROM unnest($1::text[], $2::text[], $3::text[]::martlet.environment[], $4::text[])
                WITH ORDINALITY AS wanted (output, app, environment, token, place)
                CROSS JOIN LATERAL (
                    SELECT unregistered_at FROM martlet.device_tokens AS known
                    WHERE known.output = wanted.output AND known.app = wanted.app
                        AND known.environment = wanted.environment AND known.token = wanted.token
                    LIMIT 1) AS known
            WHERE unregistered_at IS NOT NULL
            """,
            [
                .textArray(keys.map(\.output)), .textArray(keys.map(\.app)),
                .textArray(keys.map(\.environment.rawValue)), .textArray(keys.map(\.filed.token)),
            ])
        return try rows.reduce(into: [:]) { deaths, row in
            deaths[try row["place"].integer - 1] = Timestamp(milliseconds: try row["unregistered_at"].milliseconds)
        }
    }

    /// Returns a time before which all marks are committed and visible to subsequent statements.
    static func marksCompleteUntil(_ connection: PostgresConnection) async throws -> Timestamp {
        let row = try await connection.query("SELECT martlet.marks_complete_until() AS time")[0]
        return Timestamp(milliseconds: try row["time"].milliseconds)
    }

    private static func deviceToken(_ row: PostgresRow) throws -> DeviceToken {
        func time(_ column: String) throws -> Timestamp? {
            try row[column].optional.map { Timestamp(milliseconds: try $0.milliseconds) }
        }
        return DeviceToken(
            key: DeviceTokenKey(
                output: try row["output"].text, app: try row["app"].text,
                environment: try row["environment"].known(), form: .text,
                token: try row["token"].text),
            registeredAt: try time("registered_at"), unregisteredAt: try time("unregistered_at"),
            markedAt: try time("marked_at"), reason: try row["reason"].optional?.text)
    }
}
