import APNSSimulator
import Contract
import DeliveryPipeline
package import Foundation
import PostgresClient
import TestSupport
import WorkerTestSupport

/// A torture run. The run starts an installation, publishes jobs while faults occur, waits until all work is settled,
/// and judges the record.
package struct TortureRun: Sendable {
    package struct Result: Sendable {
        package let verdict: Verdict
        package let record: TortureRecord
        package let seconds: Double
    }

    package let seed: UInt64
    package let profile: Profile
    /// Whether faults occur. Without faults, no duplicate is allowed.
    package let hasFaults: Bool
    /// The folder for logs, the report and evidence.
    package let folder: URL
    private let instance: String
    private let martlet: String
    private let say: @Sendable (String) -> Void

    /// Creates a run without starting it.
    ///
    /// - Parameters:
    ///   - instance: the name of the private servers.
    ///   - martlet: the path of the program to run as workers, or `nil` for the one in the same build.
    ///   - say: a closure that receives progress messages.
    package init(
        seed: UInt64, profile: Profile, hasFaults: Bool = true, instance: String, martlet: String? = nil,
        say: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.seed = seed
        var profile = profile
        if seed.isMultiple(of: 2) { profile.deduplicationWindow = 0 }
        self.profile = profile
        self.hasFaults = hasFaults
        self.instance = instance
        self.martlet = martlet ?? Project.command
        self.say = say
        folder = Project.root.appending(path: ".local/torture/\(seed)")
    }

    package func run() async throws -> Result {
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let started = ContinuousClock.now
        let servers = LocalServers(
            instance: instance, nodes: profile.nodes, brokerSettings: ["consumer_timeout": "\(Profile.patience)"],
            hasStandby: profile.hasStandby)
        try await servers.up()
        let log = RunLog()
        do {
            let site = try await Site.start(profile, martlet: martlet, servers: servers, folder: folder, log: log)
            do {
                try await run(on: site, log)
            } catch {
                await site.stop()
                throw error
            }
            await site.stop()
        } catch {
            try? await servers.wipe()
            throw error
        }
        say("stopping the servers")
        try await servers.wipe()
        let record = log.snapshot
        let result = Result(
            verdict: Verdict(record), record: record, seconds: (ContinuousClock.now - started) / .seconds(1))
        try Report(run: self, result: result).write()
        return result
    }

    private func run(on site: Site, _ log: RunLog) async throws {
        log.update { $0.limits = Limits(profile) }
        let consumer = ResultConsumer(log: log)
        try await consumer.start(Site.names, broker: try site.brokerConfiguration(), logger: site.logger)
        let suspects = SuspectConsumer(log: log)
        try await suspects.start(Site.names, broker: try site.brokerConfiguration(client: 1), logger: site.logger)
        let workload = Workload(seed: seed, profile: profile)
        let canceller = Canceller(pool: site.pool, log: log)
        let publishers = (0..<profile.publishers).map { _ in
            JobPublisher(
                log: log, names: Site.names, workload: workload, canceller: canceller,
                subscribe: site.services.subscribe)
        }
        for (number, publisher) in publishers.enumerated() {
            try await publisher.start(
                broker: try site.brokerConfiguration(client: number), delays: profile.retryDelays, logger: site.logger)
        }
        for worker in site.workers.prefix(profile.workers) { try worker.start() }
        publishers[0].publish(0)
        try await eventually("first outcome", within: .seconds(30)) { log.doneCount > 0 }
        say("publishing and disturbing for \(profile.seconds) s")
        let observer = Task { await observe(site, log) }
        await disturb(site, log, publishers)
        say("the faults have ended; settling")
        for publisher in publishers { await publisher.finish(within: .seconds(profile.settleSeconds)) }
        await settle(site, log)
        observer.cancel()
        await observer.value
        try await finish(site, log)
        await suspects.stop()
        await consumer.stop()
    }

    private func disturb(_ site: Site, _ log: RunLog, _ publishers: [JobPublisher]) async {
        let start = ContinuousClock.now
        let schedule = hasFaults ? Schedule(seed: seed, profile: profile) : Schedule.calm
        let runner = FaultRunner(site: site, log: log, publishers: publishers)
        await withTaskGroup(of: Void.self) { group in
            for (index, publisher) in publishers.enumerated() {
                group.addTask {
                    await publisher.publish(
                        // Job 0 was published before.
                        first: index + 1, stride: publishers.count,
                        rate: Double(profile.rate) / Double(publishers.count),
                        until: start + .seconds(profile.seconds))
                }
            }
            group.addTask { await runner.run(schedule, from: start) }
        }
        guard hasFaults else { return }
        await runner.endLimit()
        await runner.paceLast()
    }

    /// Samples the workers' memory and restarts dead workers once a second. Reports progress every 15 seconds.
    private func observe(_ site: Site, _ log: RunLog) async {
        var seconds = 0
        while !Task.isCancelled {
            for worker in site.workers {
                worker.sampleMemory()
                do { try await worker.check() } catch { log.odd("worker \(worker.number): \(error)") }
            }
            seconds += 1
            if seconds % 15 == 0 {
                say("\(seconds) s: \(log.doneCount) recipients done, \(log.recipientsOpen) still open")
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// The delay queues for result events whose dead tokens could not be marked in the database for minutes. Their
    /// delay exceeds the time for settling.
    static let waitsForLong = Set([900, 3_600].map(Site.names.delay))

    /// Waits until all queues are empty and nothing has happened for longer than a request may take. The second
    /// condition is necessary because a message that a worker holds is in no queue.
    private func settle(_ site: Site, _ log: RunLog) async {
        let deadline = ContinuousClock.now + .seconds(profile.settlingTakes)
        var (requests, quietSince) = (0, ContinuousClock.now)
        while ContinuousClock.now < deadline {
            let waiting = try? await site.waitingMessages().filter {
                $0.key != Site.names.dead && !Self.waitsForLong.contains($0.key)
            }
            let isEmpty = waiting?.values.allSatisfy { $0 == 0 } == true
            if !isEmpty || log.recipientsOpen > 0 || log.sightingCount != requests {
                (requests, quietSince) = (log.sightingCount, .now)
            }
            if ContinuousClock.now - quietSince > .seconds(profile.longestTimeoutSeconds + 2) { return }
            try? await Task.sleep(for: .milliseconds(500))
        }
        log.update { $0.isSettled = false }
    }

    /// Stops the workers, so that unfinished jobs return to the queues. Records the remaining messages, and all marks
    /// of dead tokens.
    private func finish(_ site: Site, _ log: RunLog) async throws {
        say("settled; stopping the workers")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in site.workers {
                group.addTask { try await worker.stop(within: .seconds(profile.drainSeconds + 45)) }
            }
            try await group.waitForAll()
        }
        say("workers have ended; checking the queues")
        // The broker requeues a closed consumer's messages with a short delay, and the last result events are still on
        // their way.
        try await Task.sleep(for: .seconds(1))
        var waiting = try await site.waitingMessages()
        waiting[Site.names.dead] = nil
        let dead = try await Broker(url: try site.servers.brokerURL).messages(in: Site.names.dead).map {
            DeadRecord(job: JobPlan.number(in: $0.body), reason: $0.reason)
        }
        let marks = try await site.pool.query("SELECT output, token FROM martlet.dead_tokens").map {
            (output: try $0["output"].text, address: try $0["token"].text)
        }
        log.update { record in
            record.waiting = waiting
            record.dead = dead
            for mark in marks { record.mark(mark.address, of: mark.output) }
        }
    }
}
