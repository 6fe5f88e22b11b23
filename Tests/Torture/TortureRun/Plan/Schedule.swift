import TestSupport

/// The faults of a run and their times. The same seed and profile produce the same schedule. A schedule is a value,
/// and ``FaultRunner`` carries it out.
package struct Schedule: Sendable {
    package struct Entry: Sendable, Hashable {
        /// The start of the fault, in milliseconds after the start of the run.
        package let start: Int
        /// The duration of the fault, in milliseconds.
        package let milliseconds: Int
        package let fault: Fault
    }

    /// The faults by track. Faults on one track occur one after another. Faults on different tracks may occur at the
    /// same time.
    package let tracks: [[Entry]]

    package init(seed: UInt64, profile: Profile) {
        var generator = SplitMix64(seed: seed)
        let interludes = Interlude.all(profile)
        var tracks: [[Entry]] = []
        func track(
            _ gaps: ClosedRange<Int>, _ make: (inout SplitMix64) -> (Fault, ClosedRange<Int>)
        ) {
            // Each track has its own generator, so that a longer run begins in the same way as a shorter one.
            var own = SplitMix64(seed: generator.next())
            var entries: [Entry] = []
            var time = 1_000 + Int.random(in: 0...gaps.lowerBound, using: &own)
            while true {
                let (fault, length) = make(&own)
                let entry = Entry(start: time, milliseconds: .random(in: length, using: &own), fault: fault)
                guard entry.start + entry.milliseconds < profile.seconds * 1_000 else { break }
                if !interludes.contains(where: { $0.leavesOut(entry, profile) }) { entries.append(entry) }
                time = entry.start + entry.milliseconds + .random(in: gaps, using: &own)
            }
            tracks.append(entries)
        }
        for worker in 1...profile.workers {
            track(profile.gaps.workers) { Self.workerFault(worker, profile, &$0) }
        }
        var serverFaults = 0
        track(profile.gaps.servers) { generator in
            defer { serverFaults += 1 }
            // The first server fault and every fourth one after it are failovers, so that each run has at least one
            // failover.
            if profile.hasStandby, serverFaults.isMultiple(of: 4) {
                return (.failOver(isPlanned: .random(using: &generator)), profile.outage)
            }
            return Self.serverFault(profile, &generator)
        }
        track(profile.gaps.network) { Self.networkFault(profile, &$0) }
        track(profile.gaps.services) { Self.apnsFault(profile, &$0) }
        track(profile.gaps.credentials) {
            (.rotateCredential(app: .random(in: 0..<Workload.apps.count, using: &$0)), 0...0)
        }
        for app in Workload.pacedApps {
            track(profile.gaps.paces) { (.setPace(app: app, Self.pace(profile, &$0)), 0...0) }
        }
        if profile.campaign > 0 {
            var campaigns = 0
            track(profile.gaps.campaigns) { _ in
                defer { campaigns += 1 }
                return (.campaign(campaigns), 0...0)
            }
        }
        track(profile.gaps.settings) { (Self.otherSettings(profile, &$0), profile.resetting) }
        var giants = 0
        track(profile.gaps.splitting) { _ in
            defer { giants += 1 }
            return (.killWhileSplitting(giants), 0...0)
        }
        track(profile.gaps.queue) { _ in (.fullQueue, profile.fullness) }
        tracks += interludes.map { [$0.entry(seed: generator.next())] }
        for output in OutputKind.allCases where output != .apns {
            track(profile.gaps.services) { Self.serviceFault(of: output, profile, &$0) }
        }
        self.tracks = tracks
    }

    /// A schedule without faults.
    package static let calm = Schedule(tracks: [])

    private init(tracks: [[Entry]]) { self.tracks = tracks }

    /// Returns a random fault of a worker, and the range of its duration in milliseconds. Worker 1 is only
    /// frozen, never stopped or killed, so that its memory can be observed during the whole run.
    private static func workerFault(
        _ worker: Int, _ profile: Profile, _ generator: inout SplitMix64
    ) -> (Fault, ClosedRange<Int>) {
        switch worker == 1 ? 9 : Int.random(in: 0..<10, using: &generator) {
        case 0..<4: (.killWorker(worker), 0...profile.outage.upperBound / 2)
        case 4..<7: (.restartWorker(worker), 0...profile.outage.upperBound / 2)
        case 7: (.hurryWorker(worker), 0...profile.outage.upperBound / 2)
        default: (.freezeWorker(worker), profile.freeze)
        }
    }

    private static func serverFault(
        _ profile: Profile, _ generator: inout SplitMix64
    ) -> (Fault, ClosedRange<Int>) {
        if Int.random(in: 0..<6, using: &generator) == 0 { return (.lockTokens, profile.locking) }
        let servers: Fault.Servers =
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5: .rabbitmq
            case 5..<9: .postgres
            default: .both
            }
        if servers != .postgres, profile.nodes > 1 {
            let node = Int.random(in: 1...profile.nodes, using: &generator)
            return (Bool.random(using: &generator) ? .killNode(node) : .stopNode(node), profile.outage)
        }
        return (Bool.random(using: &generator) ? .killServers(servers) : .stopServers(servers), profile.outage)
    }

    /// Returns temporary settings for a random worker. The worker then splits jobs into chunks of a different size than
    /// the other workers do.
    private static func otherSettings(_ profile: Profile, _ generator: inout SplitMix64) -> Fault {
        .reconfigureWorker(
            .random(in: 1...profile.workers, using: &generator),
            Fault.Settings(
                chunkSize: [20, 60, 250, 700].randomElement(using: &generator) ?? 20,
                maximumInFlight: .random(in: profile.maximumInFlight / 4...profile.maximumInFlight, using: &generator),
                appShare: .random(in: 30...90, using: &generator),
                logLevel: ["debug", "info", "notice"].randomElement(using: &generator) ?? "info"))
    }

    private static func networkFault(
        _ profile: Profile, _ generator: inout SplitMix64
    ) -> (Fault, ClosedRange<Int>) {
        let link = [Fault.Link.broker, .database, .apns].randomElement(using: &generator) ?? .broker
        let worker = Int.random(in: 1...profile.workers, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0, 1: return (.cut(link, worker: worker), 0...0)
        case 2: return (.blackHole(link, worker: worker), profile.freeze)
        default:
            let milliseconds = Int.random(in: 5...100, using: &generator)
            return (.slow(link, worker: worker, milliseconds: milliseconds), profile.outage)
        }
    }

    private static func apnsFault(
        _ profile: Profile, _ generator: inout SplitMix64
    ) -> (Fault, ClosedRange<Int>) {
        switch Int.random(in: 0..<14, using: &generator) {
        case 0, 1: (.goAway(announced: .random(using: &generator)), 0...0)
        case 2, 3: (.cutPushes, 0...0)
        case 4: (.refuseStreams(.random(in: 1...200, using: &generator)), 0...0)
        case 5, 6:
            (
                .refuseNext(
                    .random(in: 1...200, using: &generator),
                    status: [429, 500, 503].randomElement(using: &generator) ?? 503), 0...0
            )
        case 7: (.unavailable, profile.outage)
        case 8, 9: (.slowAnswers(milliseconds: .random(in: 10...500, using: &generator)), profile.outage)
        case 10: (.silence(all: .random(using: &generator)), profile.outage)
        case 11: (.apnsDown, profile.outage)
        default: (.streamLimit([1, 10, 100, 1_000].randomElement(using: &generator) ?? 100), 0...0)
        }
    }
}
