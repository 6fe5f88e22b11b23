import APNSSimulator
import Foundation
import PostgresClient
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// `martlet credential rekey` while workers run.
@Suite(.needsServers, .endsAHang)
struct RekeyTests {
    private static let oldLine = Installation.keyringText
    private static let newLine = "master-2 \(String(repeating: "B", count: 42))A=\n"

    private func tokens(_ installation: Installation) async throws -> [Int64] {
        try await installation.database.pool.query(
            "SELECT issued_at FROM martlet.provider_tokens ORDER BY credential"
        ).map { try $0["issued_at"].milliseconds }
    }

    /// In the documented procedure, every worker gets the new master key, the key moves to the top of the keyring, all
    /// rows are sealed with it, and the old key is removed. If `isByTheBook` is false, all rows are sealed with the new
    /// key before the workers have it.
    @Test(arguments: [true, false]) func keepsDeliveringWhileMasterKeyChanges(isByTheBook: Bool) async throws {
        try await Installation.with { installation in
            let apps = (1...6).map { "com.example.app\($0)" }
            for (number, app) in apps.enumerated() {
                if number < 4 {
                    try await installation.addTokenApp(app, team: "TEAM00000\(number)")
                } else {
                    try await installation.addCertificateApp(app, team: "TEAM00000\(number)")
                }
            }
            var sent = 0
            func push(_ name: String) async throws {
                try await installation.publish(
                    apps.map { JobText("\(name) \($0)", app: $0, to: Token.random(count: 20)) })
                sent += apps.count * 20
                try await installation.results.wait(for: sent)
            }
            let operators = try installation.write(Self.newLine + Self.oldLine, to: "operators-keyring")
            try await installation.withWorker { worker in
                try await push("before")
                let (issued, connections) = (
                    try await tokens(installation), await installation.simulator.counters().connections
                )
                #expect(issued.count == 4)
                if isByTheBook {
                    for lines in [Self.oldLine + Self.newLine, Self.newLine + Self.oldLine] {
                        try installation.write(lines, to: "keyring")
                        try await eventually(worker.errors) {
                            worker.errors.components(separatedBy: "Master keys reloaded").count
                                == (lines.hasPrefix("master-2") ? 3 : 2)
                        }
                    }
                    // The worker has read the keyring already, so only the notification of the rekeying makes it read
                    // the credentials.
                }
                let rekeyed = try await installation.martlet(["credential", "rekey"], ["keyring.file": operators])
                #expect(rekeyed.status == 0, "\(rekeyed)")
                #expect(rekeyed.output.contains("sealed 10 of 10 rows with master key master-2"), "\(rekeyed)")
                #expect(rekeyed.output.contains("no row needs master key master-1"), "\(rekeyed)")
                let read = isByTheBook ? "credentials_added=\"\"" : "the copy in memory stays in use"
                try await eventually(worker.errors) { worker.errors.contains(read) }
                try await push("after")

                try installation.write(Self.newLine, to: "keyring")
                try await eventually(worker.errors) { worker.errors.contains("keys=master-2 ") }
                try await push("without the old key")
                #expect(try await tokens(installation) == issued, "no provider token is signed")
                #expect(await installation.simulator.counters().connections == connections, "no connection is closed")
            }
            #expect(installation.results.tally == ["sent": sent])
            // A worker that starts now needs only the new key.
            try await installation.withWorker { _ in try await push("a new worker") }
            #expect(installation.results.tally == ["sent": sent])
        }
    }

    @Test func namesRowsOfLostMasterKeyAndHoldsOnlyAffectedJobs() async throws {
        try await Installation.with { installation in
            let lost = try MasterKeyring(text: "lost \(String(repeating: "C", count: 42))A=", source: "test")
            try await installation.addTokenApp("com.example.shop")
            let id = try await installation.addTokenApp("com.example.lost", team: "TEAM000002", sealedWith: lost)
            try installation.write(Self.newLine + Self.oldLine, to: "keyring")
            let planned = try await installation.martlet(["credential", "rekey", "--dry-run"])
            #expect(planned.status == 1)
            #expect(planned.output.contains("would reseal 1 of 2 rows"), "\(planned)")
            #expect(planned.output.contains("master key master-1 is still needed by 1 row\n"), "\(planned)")
            let finished = try await installation.martlet(["credential", "rekey"])
            #expect(finished.status == 1)
            #expect(
                finished.output.contains(
                    "could not open: martlet.credentials row \(id) is sealed under master key lost, which is not in the keyring"
                ), "\(finished)")
            #expect(finished.output.contains("master key lost is still needed by 1 row\n"), "\(finished)")
            #expect(finished.output.contains("no row needs master key master-1"), "\(finished)")
            try await installation.withWorker { worker in
                try await installation.publish([
                    JobText("1", app: "com.example.shop", to: Token.random(count: 5)),
                    JobText("2", app: "com.example.lost", to: Token.random(count: 5)),
                ])
                try await installation.results.wait(for: 5)
                try await eventually(worker.errors) {
                    worker.errors.contains("row \(id) is sealed under master key lost")
                }
            }
            #expect(installation.results.tally == ["sent": 5])
            #expect(try await installation.waitingMessages(delays: [30]).values.reduce(0, +) == 1, "one job is held")
            let doctor = try await installation.martlet(["doctor"])
            #expect(doctor.status == 1)
            #expect(doctor.output.contains("sealed under master key lost"), "\(doctor)")
        }
    }
}
