import APNSSimulator
import Foundation
import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// Three workers with load from forty apps, while credentials and apps change. Every worker applies each change, and
/// every recipient gets exactly one push.
@Suite(
    .needsServers, .serialized,
    .endsAHang)
struct LiveChangeTests {
    /// The maximum time until a change applies, in milliseconds. docs/credentials.md promises five seconds, which is
    /// measured on a machine that runs only workers. This machine runs many other tests at the same time, so the limit
    /// can only detect a worker that never applies the change.
    private static let limit: Int64 = 60_000

    enum Notifications: CaseIterable {
        case come
        /// No notifications are sent, so workers detect changes only by polling.
        case neverCome
        /// The listening connections are cut repeatedly, and no notifications are sent.
        case areLost
    }

    /// The times after which changes applied, in milliseconds, by change and worker.
    private struct Report {
        /// The times of the first use of the new state.
        var first: [String: [String: Int64]] = [:]
        /// The times of the last use of the old state.
        var last: [String: [String: Int64]] = [:]
    }

    @Test(arguments: Notifications.allCases)
    func appliesChangesOnEveryWorkerWithoutFailures(notifications: Notifications) async throws {
        let masterKey = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        try await Installation.with(keyring: "live-1 \(masterKey.base64EncodedString())\n") { installation in
            var landscape = try await Landscape(installation, masterKey: masterKey)
            var published: [String: String] = [:]
            if notifications != .come { try await stopAnnouncing(installation) }
            let cutting = notifications == .areLost ? startCutting(installation) : nil
            let logs = try await WorkerFleet.run(in: installation) { fleet in
                published = try await change(&landscape, fleet)
            }
            cutting?.cancel()
            _ = await cutting?.result

            #expect(installation.results.tally == ["sent": published.count])
            #expect(Set(installation.results.entries.keys.map(\.token)) == Set(published.keys))
            #expect(installation.simulator.recordedAcceptances.filter { $0.value != 1 } == [:])
            #expect(try await installation.waitingMessages().isEmpty)
            try await LeakCheck(
                landscape: landscape, tokens: Set(published.keys), logs: logs + landscape.said.text
            ).run()
        }
    }

    /// Makes the changes under load, and measures when each worker applies them.
    ///
    /// - Returns: the device tokens of all published jobs, with their apps.
    private func change(_ landscape: inout Landscape, _ fleet: WorkerFleet) async throws -> [String: String] {
        let installation = landscape.installation
        let apps = Landscape.apps
        let (rotated, replaced, withdrawn, paused) = (apps[0], apps[1], apps[2], apps[3])
        let (keys, oldCertificate, certificate) = (landscape.keys, landscape.certificates[0], landscape.certificates[1])
        var published: [String: String] = [:]
        var report = Report()
        var changed = landscape
        try await SteadyLoad.run(in: installation, apps: apps, watched: Array(apps[0..<4])) { load in
            func followed(_ credential: Landscape.Imported, for app: String, since start: Timestamp) async throws {
                try await eventually("all workers use \(credential.recorded) for \(app)") {
                    Usage(installation, load).workers(using: credential.recorded, for: app, since: start).count == 3
                }
            }
            let start = Timestamp(milliseconds: 0)
            try await followed(keys[0], for: rotated, since: start)
            try await followed(oldCertificate, for: replaced, since: start)
            try await followed(certificate, for: withdrawn, since: start)
            try await followed(keys[3], for: paused, since: start)

            // If a new credential replaces an old one, the test retires the old one only after all workers use the new
            // one.
            let pausedAt = try await changed.setPaused(true, paused)
            let newKey = try await changed.importKey(of: Landscape.team(of: 0))
            try await followed(newKey, for: rotated, since: newKey.at)
            _ = try await changed.retire(keys[0])
            let newCertificate = try await changed.importCertificate(of: replaced, team: Landscape.team(of: 1))
            try await followed(newCertificate, for: replaced, since: newCertificate.at)
            _ = try await changed.retire(oldCertificate)
            let withdrawnAt = try await changed.retire(certificate)
            try await followed(keys[2], for: withdrawn, since: withdrawnAt)
            try await eventually("all workers hold the jobs of \(paused)") {
                fleet.haveLogged("Jobs cannot be sent", "app \(paused) is paused") == 3
            }
            let resumedAt = try await changed.setPaused(false, paused)
            try await followed(keys[3], for: paused, since: resumedAt)
            try await changed.rekey()
            try await eventually("all workers have read the new master key") {
                fleet.haveLogged("Master keys reloaded", "live-2") == 3
            }
            try changed.removeOldMasterKeys()
            let end = Timestamp(milliseconds: resumedAt.milliseconds + 6_000)
            try await eventually("workers had six seconds to use an old credential again") { Timestamp.now > end }

            let usage = Usage(installation, load)
            report.first["key rotated"] = usage.first(after: newKey.at) { $0.credential == newKey.recorded }
            report.last["key rotated"] = usage.last(after: newKey.at) { $0.credential == keys[0].recorded }
            report.first["certificate replaced"] = usage.first(after: newCertificate.at) {
                $0.credential == newCertificate.recorded
            }
            report.last["certificate replaced"] = usage.last(after: newCertificate.at) {
                $0.credential == oldCertificate.recorded
            }
            report.first["certificate retired"] = usage.first(after: withdrawnAt) {
                $0.app == withdrawn && $0.credential == keys[2].recorded
            }
            report.last["certificate retired"] = usage.last(after: withdrawnAt) {
                $0.credential == certificate.recorded
            }
            report.last["app paused"] = usage.last(after: pausedAt) { $0.app == paused && $0.at < resumedAt }
            report.first["app resumed"] = usage.first(after: resumedAt) { $0.app == paused }
            published = load.published
        }
        landscape = changed
        // The held jobs of the paused app are sent soon after it is resumed.
        try await eventually("all \(published.count) recipients have an outcome: \(installation.results.tally)") {
            installation.results.count >= published.count
        }
        #expect(installation.simulator.recordedRequests.count < 10_000, "the simulator records at most 10,000 requests")
        check(report)
        return published
    }

    private func check(_ report: Report) {
        for (change, times) in report.first.sorted(by: { $0.key < $1.key }) {
            print("\(change): first use after \(times.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value) ms" })")
            #expect(times.count == 3 && times.values.allSatisfy { $0 <= Self.limit }, "\(change): \(times)")
        }
        for (change, times) in report.last.sorted(by: { $0.key < $1.key }) {
            print(
                "\(change): last old use after \(times.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value) ms" })"
            )
            #expect(times.values.allSatisfy { $0 <= Self.limit }, "no worker uses the old state: \(change) \(times)")
        }
    }

    /// Disables the triggers that send notifications of changes.
    private func stopAnnouncing(_ installation: Installation) async throws {
        for table in ["apps", "credentials"] {
            try await installation.database.pool.query("ALTER TABLE martlet.\(table) DISABLE TRIGGER announce")
        }
    }

    /// Starts to cut the connections that listen for notifications, every 50 milliseconds.
    private func startCutting(_ installation: Installation) -> Task<Void, any Error> {
        let pool = installation.database.pool
        return Task {
            while !Task.isCancelled {
                try await pool.query(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND query LIKE 'LISTEN%'
                    """)
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }
}
