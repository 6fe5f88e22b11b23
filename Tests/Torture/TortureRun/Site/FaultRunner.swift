import APNSSimulator
import Foundation
import PostgresClient
import TestSupport
import WorkerTestSupport

/// A runner that carries out a schedule on a site and records the start and end of each fault.
struct FaultRunner: Sendable {
    let site: Site
    let log: RunLog
    let publishers: [JobPublisher]

    /// Carries out a schedule. Returns after the last fault is over.
    func run(_ schedule: Schedule, from start: ContinuousClock.Instant) async {
        await withTaskGroup(of: Void.self) { group in
            for track in schedule.tracks {
                group.addTask {
                    // Faults that were delayed until the end of the run are left out.
                    for entry in track where ContinuousClock.now < start + .seconds(site.profile.seconds) {
                        try? await Task.sleep(until: start + .milliseconds(entry.start))
                        await carryOut(entry)
                    }
                }
            }
        }
    }

    func carryOut(_ entry: Schedule.Entry) async {
        let start = currentMilliseconds()
        var (struck, note): (Int64, String?) = (start, nil)
        do {
            try await carryOut(entry.fault, for: .milliseconds(entry.milliseconds), struck: &struck)
        } catch {
            note = "\(error)"
            log.odd("\(entry.fault.name) failed: \(error)")
        }
        let record = FaultRecord(
            fault: entry.fault, start: start, struck: struck, end: currentMilliseconds(), note: note)
        log.update { $0.faults.append(record) }
    }

    /// Carries out a fault.
    ///
    /// - Parameter struck: the time at which the fault strikes its workers. It changes if the fault has to wait.
    private func carryOut(_ fault: Fault, for time: Duration, struck: inout Int64) async throws {
        switch fault {
        case .killWorker(let number), .restartWorker(let number), .hurryWorker(let number), .freezeWorker(let number):
            let worker = site.workers[number - 1]
            await worker.takeWhenFree()
            defer { worker.release() }
            struck = currentMilliseconds()
            try await carryOut(fault, at: worker, for: time)
        case .killWhileSplitting(let index): struck = try await killWhileSplitting(JobNumber.giant(index))
        case .joinLate: struck = try await joinLate(for: time)
        case .stopServers(let servers):
            let all = site.servers(servers)
            for server in all { try await site.servers.stop(server) }
            try await Task.sleep(for: time)
            for server in all { try await site.servers.start(server) }
        case .killServers(let servers):
            let all = site.servers(servers)
            for server in all { try await kill(server) }
            try await Task.sleep(for: time)
            for server in all { try await site.servers.start(server) }
        case .failOver(let isPlanned):
            try await site.databaseServers.failOver(after: time) { server in
                if isPlanned { try await site.servers.stop(server) } else { try await kill(server) }
            }
        case .lockTokens: try await lock("martlet.device_tokens", for: time)
        case .lockTables: try await lock("martlet.device_tokens, martlet.claims", for: time)
        case .fullQueue:
            try await site.fullQueue.fill()
            try await Task.sleep(for: time)
            try await site.fullQueue.empty()
        case .stopNode(let node):
            try await site.servers.stop(.rabbitmq(node: node))
            try await Task.sleep(for: time)
            try await site.servers.start(.rabbitmq(node: node))
        case .killNode(let node):
            try await kill(.rabbitmq(node: node))
            try await Task.sleep(for: time)
            try await site.servers.start(.rabbitmq(node: node))
        case .cut(let link, let worker): site.link(link, worker).cut()
        case .blackHole(let link, let worker):
            site.link(link, worker).freeze()
            try await Task.sleep(for: time)
            site.link(link, worker).cut()
        case .slow(let link, let worker, let milliseconds):
            site.link(link, worker).setDelay(milliseconds: milliseconds)
            try await Task.sleep(for: time)
            site.link(link, worker).setDelay(milliseconds: 0)
        case .reconfigureWorker(let number, let settings):
            try site.workers[number - 1].reconfigure(settings)
            try await Task.sleep(for: time)
            try site.workers[number - 1].reconfigure(nil)
        case .rotateCredential(let app): try await rotate(app)
        case .setPace(let app, let pace): try await Paces(pool: site.pool).set(pace, of: app)
        case .campaign(let campaign): publish(campaign, of: site.profile.campaign)
        case .service(let output, let fault): try await site.services[output]?.carryOut(fault, for: time)
        default: try await carryOutAtAPNs(fault, for: time)
        }
    }

    private func carryOut(_ fault: Fault, at worker: WorkerProcess, for time: Duration) async throws {
        switch fault {
        case .freezeWorker:
            worker.freeze()
            try await Task.sleep(for: time)
            return worker.resume()
        case .killWorker: try await worker.kill()
        default:
            var isHurried = false
            if case .hurryWorker = fault { isHurried = true }
            try await worker.stop(within: .seconds(site.profile.drainSeconds + 45), isHurried: isHurried)
        }
        try await Task.sleep(for: time)
        try worker.start()
    }

    private func lock(_ tables: String, for time: Duration) async throws {
        try await site.pool.transaction { connection in
            try await connection.execute(script: "LOCK TABLE \(tables) IN ACCESS EXCLUSIVE MODE")
            try await Task.sleep(for: time)
        }
    }

    private func carryOutAtAPNs(_ fault: Fault, for time: Duration) async throws {
        var standing = StandingFaults()
        switch fault {
        case .goAway(let announced): return await site.simulator.sendGoAway(GoAwayFault(announcesFirst: announced))
        case .cutPushes: return await site.simulator.cutConnections()
        case .refuseStreams(let count): return site.simulator.refuseStreams(count)
        case .refuseNext(let count, let status):
            return site.simulator.answerNext(count, with: PlannedAnswer(status: status, reason: "Torture"))
        case .streamLimit(let limit): return await site.simulator.changeStreamLimit(to: limit)
        case .apnsDown: return try await site.simulator.goDown(for: time)
        case .unavailable: standing.answer = PlannedAnswer(.serviceUnavailable)
        case .slowAnswers(let milliseconds): standing.answerDelayMilliseconds = milliseconds
        case .silence(let all): standing.silence = all ? .all : .answers
        default: return
        }
        await site.simulator.setFaults(standing)
        try await Task.sleep(for: time)
        await site.simulator.setFaults(StandingFaults())
    }

    /// Kills a server, and gives its supervisor half a second to notice the end. The supervisor restarts a server only
    /// after it has noticed the end.
    private func kill(_ server: LocalServers.Server) async throws {
        try site.servers.kill(server, server == site.databaseServers.primary ? SIGQUIT : SIGKILL)
        try await Task.sleep(for: .milliseconds(500))
    }

    /// Rotates the credentials of an app. Like an operator, it retries if the database is unavailable.
    private func rotate(_ app: Int) async throws {
        try await eventually("rotation of the credential of \(Workload.apps[app].bundleID)") {
            do {
                try await site.credentials.rotate(app: app)
                return true
            } catch {
                try await Task.sleep(for: .milliseconds(200))
                return false
            }
        }
    }
}

extension Site {
    fileprivate func servers(_ servers: Fault.Servers) -> [LocalServers.Server] {
        switch servers {
        case .rabbitmq: [.rabbitmq]
        case .postgres: [databaseServers.primary]
        case .both: [.rabbitmq, databaseServers.primary]
        }
    }
}
