import PostgresClient
import PushModel
import Store
import TestTraits
import Testing
import WorkerTestSupport

/// Concurrent marks and registrations of one token. The later event wins, regardless of the order in which the two are
/// written.
@Suite(.needsDatabase, .endsAHang)
struct DeviceTokenRaceTests {
    private enum Change: Sendable {
        case mark(Int64)
        /// A 410 for a job that states when the token was registered.
        case markKnowing(Int64, registered: Int64)
        case register(Int64)
        case registerBySQL(Int64)

        static func random() -> Change {
            let (time, other) = (Int64.random(in: 1...4), Int64.random(in: 1...4))
            return switch Int.random(in: 0..<5) {
            case 0, 1: .mark(time)
            case 2: .markKnowing(time, registered: other)
            case 3: .register(time)
            default: .registerBySQL(time)
            }
        }

        var marked: Int64? {
            switch self {
            case .mark(let time), .markKnowing(let time, _): time
            case .register, .registerBySQL: nil
            }
        }

        var registered: Int64? {
            switch self {
            case .markKnowing(_, let time), .register(let time), .registerBySQL(let time): time
            case .mark: nil
            }
        }
    }

    private func key(_ token: String) -> DeviceTokenKey {
        DeviceTokenKey(
            output: "apns", app: "com.example.shop", environment: .production, form: .hex(maximumDigits: 512),
            token: token)
    }

    private func carryOut(_ change: Change, _ token: String, _ pool: PostgresPool) async throws {
        let registry = DeviceTokenRegistry(pool)
        switch change {
        case .mark(let time), .markKnowing(let time, _):
            try await registry.mark([
                TokenMark(
                    key: key(token), unregisteredAt: Timestamp(milliseconds: time), reason: "Unregistered",
                    registeredAt: change.registered.map { Timestamp(milliseconds: $0) })
            ])
        case .register(let time):
            try await registry.register([
                TokenRegistration(key: key(token), registeredAt: Timestamp(milliseconds: time))
            ])
        case .registerBySQL(let time):
            try await pool.query(
                "SELECT martlet.register_token('com.example.shop', $1, $2)",
                [.text(token.uppercased()), .timestamp(milliseconds: time)])
        }
    }

    @Test func keepsLatestEventInAnyInterleaving() async throws {
        try await TestDatabase.withMigrated { database in
            var options = PostgresPool.Options()
            options.maximumConnections = 8
            options.leaseTimeout = .seconds(60)
            let pool = PostgresPool(database.configuration, options: options, logger: database.logger)
            defer { pool.close() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<2 {
                    group.addTask {
                        for round in 0..<500 {
                            try await interleave("ab\(lane)\(String(round, radix: 16))", pool, isHeldUp: round % 4 == 0)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private func interleave(_ token: String, _ pool: PostgresPool, isHeldUp: Bool) async throws {
        let changes = (0..<Int.random(in: 2...3)).map { _ in Change.random() }
        if isHeldUp {
            // Changes that start within a few milliseconds wait for the lock on the row, and then run at the same time.
            try await carryOut(changes[0], token, pool)
            try await pool.transaction { connection in
                try await connection.query(
                    "SELECT FROM martlet.device_tokens WHERE token = $1 FOR UPDATE", [.text(token)])
                let rest = Task { try await carryOutAtOnce(Array(changes.dropFirst()), token, pool) }
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...3)))
                return rest
            }.value
        } else {
            try await carryOutAtOnce(changes, token, pool)
        }
        let state = try #require(
            try await DeviceTokenRegistry(pool).show(token: token, output: "apns", form: .hex(maximumDigits: 512)).first
        )
        let registered = changes.compactMap(\.registered).max()
        let marked = changes.compactMap(\.marked).max()
        let isDead = (marked ?? .min) > (registered ?? .min)
        #expect(state.registeredAt?.milliseconds == registered, "\(changes)")
        #expect(state.unregisteredAt?.milliseconds == (isDead ? marked : nil), "\(changes)")
        #expect((state.markedAt != nil) == isDead && (state.reason != nil) == isDead, "\(changes)")
    }

    private func carryOutAtOnce(_ changes: [Change], _ token: String, _ pool: PostgresPool) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for change in changes.shuffled() { group.addTask { try await carryOut(change, token, pool) } }
            try await group.waitForAll()
        }
    }
}
