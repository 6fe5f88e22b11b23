import DeliveryPipeline
import Foundation
import Metering
import PushModel
import ServiceLifecycle
import Store
import Threading

/// Where everything is that a worker's status page tells.
final class StatusBoard: Sendable {
    let state: WorkerState
    let refusals: RefusalBoard
    let quotas: QuotaBoard
    let problems: ProblemRing
    private let metrics: MetricRegistry
    private let silence = Mutex(AnswerWatch())
    let fleet = FleetReader()
    let outputs: [any OutputPlugin]
    private let name: String
    private let resultsExchange: String
    private let startedAt = Timestamp.now
    let host = ProcessInfo.processInfo.hostName
    let pid = Int(ProcessInfo.processInfo.processIdentifier)
    private let configuration: Mutex<[ConfigurationSetting]>

    init(
        _ configuration: WorkerConfiguration, state: WorkerState, refusals: RefusalBoard, quotas: QuotaBoard,
        problems: ProblemRing, metrics: MetricRegistry
    ) {
        (self.state, self.refusals, self.quotas, self.problems) = (state, refusals, quotas, problems)
        self.metrics = metrics
        outputs = configuration.source.outputs
        name = configuration.pipeline.worker
        resultsExchange = configuration.pipeline.names.results
        self.configuration = Mutex(ConfigurationSetting.all(of: configuration.source))
    }

    /// The configuration was read again: what may change while a worker runs is in force as it is there.
    func reloaded(_ source: ConfigurationSource) {
        let new = Dictionary(ConfigurationSetting.all(of: source).map { ($0.key, $0) }) { first, _ in first }
        let reloadable = Set(ConfigurationKey.reloadable.map(\.rawValue))
        configuration.withLock { settings in
            settings = settings.map { reloadable.contains($0.key) ? new[$0.key] ?? $0 : $0 }
        }
    }

    func report() -> WorkerReport {
        let unreachable = UnreachableProvider.all(
            in: metrics.page(of: UnreachableProvider.families), problems.all)
        return state.report(
            host: host, pid: pid,
            unreachable: unreachable.isEmpty ? nil : Phrase.list(unreachable.map(\.text)))
    }

    /// To be called every ``Pulse/interval``.
    func beat() {
        state.beat()
        let page = metrics.page(of: AnswerWatch.families)
        silence.withLock { $0.look(at: page, now: .now) }
    }

    func document() async -> StatusDocument {
        var facts = StatusFacts()
        facts.fleet = await fleet.fleet()
        facts.now = .now
        (facts.name, facts.version, facts.host, facts.pid) = (name, Worker.version, host, pid)
        facts.startedAt = startedAt
        facts.resultsExchange = resultsExchange
        state.tell(&facts, outputs: outputs)
        facts.link = quotas.view
        (facts.refusals, facts.badTokens) = (refusals.refusals, refusals.badTokens)
        facts.problems = problems.all
        let page = metrics.page(of: PoolStatus.families + UnreachableProvider.families + [.tokenTime])
        facts.pools = PoolStatus.all(in: page)
        facts.unreachable = UnreachableProvider.all(in: page, facts.problems)
        facts.silent = silence.withLock { $0.silent }
        for (labels, value) in page.values(of: .tokenTime) where value > 0 {
            facts.tokenTimes[labels["credential"] ?? ""] = Timestamp(seconds: Int64(value))
        }
        facts.configuration = configuration.withLock { $0 }
        return StatusDocument(facts)
    }
}

/// Counts what comes about in a minute.
struct PulseService: Service {
    let status: StatusBoard

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat { status.beat() } while (try? await Task.sleep(for: Pulse.interval)) != nil
        }
    }
}
