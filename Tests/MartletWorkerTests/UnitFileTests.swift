import Foundation
import Testing

/// The systemd units in `deploy/systemd`.
@Suite struct UnitFileTests {
    private func unit(_ name: String) throws -> [String] {
        let file = URL(filePath: #filePath).appending(path: "../../../deploy/systemd/\(name).service").standardized
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test(arguments: ["martlet", "martlet-ledger", "martlet-migrate"])
    func disablesCoreDumps(name: String) throws {
        #expect(try unit(name).contains("LimitCORE=0"))
    }

    @Test func runsWorkerAndMigrationAsDifferentUsers() throws {
        let (worker, migrate) = (try unit("martlet"), try unit("martlet-migrate"))
        #expect(!worker.contains { $0.hasPrefix("Exec") && $0.contains("migrate") }, "the worker must not migrate")
        #expect(migrate.contains { $0.hasPrefix("ExecStart=") && $0.contains("martlet migrate") })
        func value(_ key: String, in unit: [String]) -> String? { unit.first { $0.hasPrefix(key + "=") } }
        #expect(value("User", in: worker) != nil)
        #expect(value("User", in: worker) != value("User", in: migrate))
    }
}
