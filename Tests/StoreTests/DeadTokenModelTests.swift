import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// Random sequences of registrations and deaths, compared with a model of the export.
@Suite(.needsDatabase, .endsAHang)
struct DeadTokenModelTests {
    private struct Model {
        var registered: Int64?
        var unregistered: Int64?
        /// The time of death in the last export, in milliseconds.
        var reported: Int64?

        var death: Int64? {
            guard let unregistered, unregistered > registered ?? .min else { return nil }
            return unregistered
        }

        mutating func apply(registered time: Int64?, unregistered death: Int64?) {
            // A live row stores no time of death.
            unregistered = self.death
            if let time { registered = max(registered ?? time, time) }
            if let death { unregistered = max(unregistered ?? death, death) }
        }

        /// Returns the time of death that the next export must report, and records it as reported. Returns `nil` if
        /// there is nothing new.
        mutating func tell() -> Int64? {
            defer { reported = death ?? reported }
            return death == reported ? nil : death
        }
    }

    private func key(_ token: String) -> DeviceTokenKey {
        DeviceTokenKey(
            output: "apns", app: "com.example.shop", environment: .production, form: .hex(maximumDigits: 512),
            token: token)
    }

    @Test func exportsEachDeathOnce() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        try await TestDatabase.withMigrated { database in
            let registry = DeviceTokenRegistry(database.pool)
            var random = SplitMix64(seed: seed)
            var model = Dictionary(uniqueKeysWithValues: ["aa", "bb", "cc"].map { ($0, Model()) })
            var since = Timestamp(seconds: 0)
            for step in 0..<300 {
                var marks: [TokenMark] = []
                var registrations: [TokenRegistration] = []
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let token = ["aa", "bb", "cc"][Int.random(in: 0..<3, using: &random)]
                    // Most changes are later than the previous ones. Some arrive late or twice.
                    let time = 1_000 + Int64(step) + Int64.random(in: -5...5, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: registrations.append(TokenRegistration(key: key(token), registeredAt: at(time)))
                    case 1: marks.append(TokenMark(key: key(token), unregisteredAt: at(time), reason: "Unregistered"))
                    default:
                        let registered = time - Int64.random(in: -1...4, using: &random)
                        marks.append(
                            TokenMark(
                                key: key(token), unregisteredAt: at(time), reason: "Unregistered",
                                registeredAt: at(registered)))
                    }
                }
                try await registry.register(registrations)
                for registration in registrations {
                    model[registration.key.token]?.apply(
                        registered: registration.registeredAt.milliseconds, unregistered: nil)
                }
                try await registry.mark(marks)
                // The rows of one statement count as one change.
                for (token, group) in Dictionary(grouping: marks, by: \.key.token) {
                    model[token]?.apply(
                        registered: group.compactMap(\.registeredAt?.milliseconds).max(),
                        unregistered: group.map(\.unregisteredAt.milliseconds).max())
                }
                guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
                try await eventually("all marks are complete") {
                    try await database.pool.query(
                        "SELECT coalesce(max(marked_at), '-infinity') < martlet.marks_complete_until() AS done FROM martlet.device_tokens"
                    )[0]["done"].bool
                }
                var reported: [String: Int64] = [:]
                since = try await registry.deadTokens(since: since) { page in
                    for token in page {
                        #expect(reported[token.key.token] == nil)
                        reported[token.key.token] = token.unregisteredAt?.milliseconds
                    }
                }
                var expected: [String: Int64] = [:]
                for token in model.keys { expected[token] = model[token]?.tell() }
                try #require(reported == expected, "step \(step) of seed \(seed)")
            }
        }
    }

    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }
}
