import Foundation
import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// Tests that run the SQL of docs/from on tables as rpush's migrations create them in PostgreSQL.
@Suite(.needsDatabase, .endsAHang)
struct RpushImportTests {
    /// The tables after the last migration of rpush 7 to 9. They have only the mandatory columns and those that the SQL
    /// reads.
    private static let tables = """
        CREATE TABLE public.rpush_apps (
            id bigserial PRIMARY KEY, name character varying NOT NULL, environment character varying, certificate text,
            password character varying, connections integer DEFAULT 1 NOT NULL, type character varying NOT NULL,
            apn_key text, apn_key_id character varying, team_id character varying, bundle_id character varying,
            feedback_enabled boolean DEFAULT true, firebase_project_id character varying, json_key text,
            created_at timestamp(6) without time zone NOT NULL DEFAULT now(),
            updated_at timestamp(6) without time zone NOT NULL DEFAULT now());
        CREATE TABLE public.rpush_feedback (
            id bigserial PRIMARY KEY, device_token character varying, failed_at timestamp without time zone NOT NULL,
            app_id integer, created_at timestamp(6) without time zone NOT NULL DEFAULT now(),
            updated_at timestamp(6) without time zone NOT NULL DEFAULT now());
        CREATE TABLE public.rpush_notifications (
            id bigserial PRIMARY KEY, app_id integer NOT NULL, type character varying NOT NULL,
            device_token character varying, registration_ids text, alert text, data text, expiry integer DEFAULT 86400,
            delivered boolean DEFAULT false NOT NULL, delivered_at timestamp without time zone,
            failed boolean DEFAULT false NOT NULL, failed_at timestamp without time zone,
            error_code integer, error_description text, processing boolean DEFAULT false NOT NULL,
            created_at timestamp(6) without time zone NOT NULL DEFAULT now(),
            updated_at timestamp(6) without time zone NOT NULL DEFAULT now());
        INSERT INTO rpush_apps (id, name, type, environment, team_id, bundle_id, apn_key) VALUES
            (1, 'shop', 'Rpush::Client::ActiveRecord::Apnsp8::App', 'production', 'TEAMA12345', 'com.example.shop', 'p8'),
            (2, 'shop', 'Rpush::Client::ActiveRecord::Apnsp8::App', 'development', 'TEAMA12345', 'com.example.shop', 'p8'),
            (3, 'news', 'Rpush::Client::ActiveRecord::Apns2::App', 'production', NULL, 'com.example.news', NULL),
            (4, 'old', 'Rpush::Client::ActiveRecord::Apns::App', 'production', NULL, NULL, NULL),
            (5, 'shop', 'Rpush::Client::ActiveRecord::Fcm::App', NULL, NULL, 'com.example.shop', NULL);
        """

    private static let pages = Project.root.appending(path: "docs/from")

    private func blocks(of page: String) throws -> [String] {
        let text = try String(contentsOf: Self.pages.appending(path: page), encoding: .utf8)
        return text.matches(of: /(?m)^```sql\n((?:.|\n)*?)^```/).map { String($0.1) }
    }

    /// Returns the SQL blocks for dead tokens, for devices and for apps, in this order.
    private func documentedSQL() throws -> [String] {
        let blocks = try blocks(of: "rpush.md")
        try #require(blocks.count == 3)
        return blocks
    }

    private func withTables(_ body: (TestDatabase, DeviceTokenRegistry) async throws -> Void) async throws {
        try await TestDatabase.withMigrated { database in
            try await database.pool.withConnection { try await $0.execute(script: Self.tables) }
            try await body(database, DeviceTokenRegistry(database.pool))
        }
    }

    private func fail(
        _ database: TestDatabase, _ token: String?, at time: String, app: Int, code: Int,
        _ reason: String = "Unregistered"
    ) async throws {
        try await database.pool.query(
            """
            INSERT INTO rpush_notifications (app_id, type, device_token, failed, failed_at, error_code, error_description)
            VALUES (\(app), 'a type', $1, true, '\(time)', \(code), $2)
            """, [.text(token), .text(reason)])
    }

    /// Returns one line for each dead token, ordered by token.
    private func dead(_ database: TestDatabase) async throws -> [String] {
        try await database.pool.query(
            """
            SELECT format('%s %s %s %s', token, app, environment,
                to_char(unregistered_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')) AS line
            FROM martlet.dead_tokens ORDER BY token, app, environment
            """
        ).map { try $0["line"].text }
    }

    /// Runs the documented import in a session with another time zone, as a session of psql may have.
    private func importDeadTokens(_ database: TestDatabase) async throws {
        let sql = try documentedSQL()[0]
        try await database.pool.withConnection { try await $0.execute(script: "SET TIME ZONE 'Asia/Tokyo'; \(sql)") }
    }

    @Test func marksTokensThatAppleReportedDead() async throws {
        try await withTables { database, _ in
            try await fail(database, "AA01", at: "2026-11-01 10:00:00", app: 1, code: 410)
            try await fail(database, "aa01", at: "2026-11-02 10:00:00", app: 1, code: 410)
            try await fail(database, "aa01", at: "2026-10-02 10:00:00", app: 2, code: 410, "ExpiredToken")
            try await fail(database, "aa02", at: "2026-11-03 10:00:00", app: 3, code: 410)
            // A local time ahead of UTC must not result in a time of death in the future.
            try await fail(database, "aa05", at: "2126-11-03 10:00:00", app: 3, code: 410)
            try await database.pool.query(
                """
                INSERT INTO rpush_feedback (device_token, failed_at, app_id)
                VALUES ('aa03', '2019-05-01 00:00:00', 1), ('aa04', '2019-05-01 00:00:00', NULL)
                """)
            // The import must skip an ambiguous reason, another provider's tokens, an app without a bundle id, and a
            // row without a token.
            try await fail(database, "bb01", at: "2026-11-01 10:00:00", app: 1, code: 400, "BadDeviceToken")
            try await fail(database, "bb02", at: "2026-11-01 10:00:00", app: 5, code: 410)
            try await fail(database, "bb02", at: "2026-11-01 10:00:00", app: 5, code: 404, "NOT_FOUND: …")
            try await fail(database, "bb03", at: "2026-11-01 10:00:00", app: 4, code: 410)
            try await fail(database, nil, at: "2026-11-01 10:00:00", app: 1, code: 410)
            try await database.pool.query(
                "INSERT INTO rpush_notifications (app_id, type, device_token, delivered) VALUES (1, 'a type', 'bb04', true)"
            )
            try await importDeadTokens(database)
            let ahead = try await database.pool.query(
                "DELETE FROM martlet.device_tokens WHERE token = 'aa05' RETURNING (unregistered_at <= clock_timestamp())::text AS past"
            ).map { try $0["past"].text }
            #expect(ahead == ["true"])
            #expect(
                try await dead(database) == [
                    "aa01 com.example.shop production 2026-11-02 10:00:00",
                    "aa01 com.example.shop sandbox 2026-10-02 10:00:00",
                    "aa02 com.example.news production 2026-11-03 10:00:00",
                    "aa03 com.example.shop production 2019-05-01 00:00:00",
                ])
        }
    }

    @Test func keepsReregisteredTokensAliveAcrossRepeatedImports() async throws {
        try await withTables { database, registry in
            try await fail(database, "aa01", at: "2026-11-01 10:00:00", app: 1, code: 410)
            try await fail(database, "aa02", at: "2026-11-01 10:00:00", app: 1, code: 410)
            try await fail(database, "aa03", at: "2026-11-01 10:00:00", app: 1, code: 410)
            for (token, time) in [("aa01", "2026-11-01T10:00:01Z"), ("aa02", "2026-10-31T00:00:00Z")] {
                try await database.pool.query(
                    "SELECT martlet.register_token('com.example.shop', '\(token)', '\(time)')")
            }
            try await importDeadTokens(database)
            let marked = [
                "aa02 com.example.shop production 2026-11-01 10:00:00",
                "aa03 com.example.shop production 2026-11-01 10:00:00",
            ]
            #expect(try await dead(database) == marked)
            let times = try await markedAt(database)
            try await importDeadTokens(database)
            #expect(try await markedAt(database) == times)
            // An imported mark works like one that a worker wrote: the next registration removes it.
            try await database.pool.query("SELECT martlet.register_token('com.example.shop', 'aa03')")
            #expect(try await dead(database) == Array(marked.prefix(1)))
            try await importDeadTokens(database)
            #expect(try await dead(database) == Array(marked.prefix(1)))
            var exported: [String] = []
            try await database.nextTick(of: "milliseconds")
            try await registry.deadTokens(since: Timestamp(seconds: 0)) { exported += $0.map(\.key.token) }
            #expect(exported == ["aa02"])
        }
    }

    private func markedAt(_ database: TestDatabase) async throws -> [String] {
        try await database.pool.query("SELECT marked_at::text AS time FROM martlet.dead_tokens ORDER BY token")
            .map { try $0["time"].text }
    }

    /// The query returns the columns and values that `martlet token register --file` reads.
    @Test func exportsDevicesForRegistration() async throws {
        try await withTables { database, _ in
            try await database.pool.withConnection {
                try await $0.execute(
                    script: """
                        CREATE TABLE public.devices (
                            id bigserial PRIMARY KEY, token character varying, updated_at timestamp(6) without time zone);
                        INSERT INTO devices (token, updated_at) VALUES ('AA01', '2026-11-19 21:14:03.25');
                        """)
            }
            let rows = try await database.pool.query(try documentedSQL()[1])
            try #require(rows.count == 1)
            let texts = try ["token", "app", "environment"].map { try rows[0][$0].text }
            #expect(texts == ["AA01", "com.example.shop", "production"])
            #expect(try rows[0]["registered_at"].integer == 1_795_122_843)
        }
    }

    /// The commands are pasted into a shell, so each value must remain one quoted word.
    @Test func quotesValuesInAppCommands() async throws {
        try await withTables { database, _ in
            try await database.pool.query(
                """
                INSERT INTO rpush_apps (id, name, type, team_id, bundle_id)
                VALUES (9, 'x', 'Rpush::Client::ActiveRecord::Apnsp8::App', 'T', $1)
                """, [.text("a'b $(exit 3)")])
            let lines = try await database.pool.query(try documentedSQL()[2]).map { try $0["format"].text }
            #expect(
                Set(lines) == [
                    #"martlet app set 'a'\''b $(exit 3)' --team 'T'"#,
                    "martlet app set 'com.example.shop' --team 'TEAMA12345'",
                ])
        }
    }

    /// Runs the query that the page passes to `psql -Atc`.
    @Test func readsPrivateKeyOfApp() async throws {
        let text = try String(contentsOf: Self.pages.appending(path: "rpush.md"), encoding: .utf8)
        let query = try #require(text.firstMatch(of: /psql -Atc "([^"]+)"/)?.1)
        try await withTables { database, _ in
            let keys = try await database.pool.query(String(query).replacing("id = 3", with: "id = 1"))
            let texts = try keys.map { try $0["apn_key"].text }
            #expect(texts == ["p8"])
        }
    }

    @Test func hasSQLOnRpushPageOnly() throws {
        let pages = try FileManager.default.contentsOfDirectory(atPath: Self.pages.path).filter { $0 != "rpush.md" }
        #expect(pages.count == 8)
        for page in pages { #expect(try blocks(of: page).isEmpty, "\(page) contains SQL that no test covers") }
    }
}
