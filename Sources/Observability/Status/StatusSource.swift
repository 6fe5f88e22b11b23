import DeliveryPipeline
package import Foundations
import Foundation
package import Logging
package import MartletConfiguration
package import Metering
package import PushModel
import ServiceLifecycle
package import Store

/// The source of all data on a worker's status page.
package final class StatusSource: Sendable {
    package let state: WorkerState
    package let refusals: RefusalRegistry
    package let quotas: QuotaShareTable
    package let warnings: WarningRing
    private let failures: OngoingFailures
    private let logger: Logger
    private let metrics: MetricRegistry
    private let pools = Mutex(PoolProblemDetector())
    private let answers = Mutex(AnswerWindow())
    private let history = Mutex(HistoryRecorder())
    private let list = Mutex(ProblemList())
    package let fleet = FleetReader()
    package let outputs: [any OutputPlugin]
    private let name: String
    private let resultsExchange: String
    private let startedAt = Timestamp.now
    package let host = ProcessInfo.processInfo.hostName
    let pid = Int(ProcessInfo.processInfo.processIdentifier)
    private let configuration: Mutex<[ConfigurationSetting]>

    package init(
        _ source: ConfigurationSource, worker name: String, resultsExchange: String, state: WorkerState,
        refusals: RefusalRegistry, quotas: QuotaShareTable,
        warnings: WarningRing, failures: OngoingFailures, metrics: MetricRegistry, logger: Logger
    ) {
        (self.state, self.refusals, self.quotas, self.warnings) = (state, refusals, quotas, warnings)
        (self.failures, self.metrics, self.logger) = (failures, metrics, logger)
        outputs = source.outputs
        (self.name, self.resultsExchange) = (name, resultsExchange)
        configuration = Mutex(ConfigurationSetting.all(of: source))
    }

    /// Updates the displayed settings after a reload. Only settings that can change while a worker runs are updated.
    package func reloaded(_ source: ConfigurationSource) {
        let new = Dictionary(ConfigurationSetting.all(of: source).map { ($0.key, $0) }) { first, _ in first }
        let reloadable = Set(ConfigurationKey.reloadable.map(\.rawValue))
        configuration.withLock { settings in
            settings = settings.map { reloadable.contains($0.key) ? new[$0.key] ?? $0 : $0 }
        }
    }

    /// The open problems in the order in which an operator should look at them.
    package var problems: [Problem] { list.withLock { $0.open } }

    /// Returns the report for this worker's row in the table of workers.
    package func report() -> WorkerReport {
        var report = state.report(host: host, pid: pid, problems: problems.map(\.report))
        report.setAnswers(answers.withLock { $0.minute }.map(\.report))
        let ring = history.withLock { $0.ring }
        report.setHistory([HistoryRing.size, HistoryRing.size / 2].lazy.compactMap { ring.text(last: $0) })
        return report
    }

    /// Updates the counts of the last minute, searches for problems, and logs problems of severity `trouble` that began
    /// or ended. Must be called once every ``Pulse/interval``.
    func beat() async {
        state.beat()
        let page = metrics.page(
            of: PoolProblemDetector.families + AnswerWindow.families + HistoryReading.families)
        pools.withLock { $0.look(at: page, isAnyPushDelayed: state.isAnyPushDelayed, now: .now) }
        answers.withLock { $0.look(at: page, now: .now) }
        let facts = await facts()
        let waiting = Lane.allCases.map { lane in facts.view.lanes.first { $0.lane == lane }?.waiting ?? 0 }
        history.withLock { $0.beat(HistoryReading(page), waiting: waiting, at: .now) }
        let found = Problem.all(of: facts)
        let (began, ended) = list.withLock { $0.update(found, now: .now) }
        // `worker.stopped` must be the last line of a worker's log, so a draining worker logs no problems.
        guard !facts.view.isDraining else { return }
        for problem in began where problem.severity == .trouble {
            logger.notice(.problemBegan, "Problem started", metadata: problem.metadata)
        }
        for problem in ended where problem.severity == .trouble {
            logger.notice(.problemEnded, "Problem ended", metadata: problem.metadata)
        }
    }

    package func document() async -> StatusDocument { StatusDocument(await facts(), problems: problems) }

    private func facts() async -> StatusFacts {
        var facts = StatusFacts()
        facts.fleet = await fleet.fleet()
        facts.now = .now
        (facts.name, facts.version, facts.host, facts.pid) = (name, Build.version, host, pid)
        facts.startedAt = startedAt
        facts.resultsExchange = resultsExchange
        state.fill(&facts, outputs: outputs)
        facts.link = quotas.view
        (facts.refusals, facts.badTokens) = (refusals.refusals, refusals.badTokens)
        (facts.warnings, facts.failures) = (warnings.all, failures.all)
        facts.answers = answers.withLock { $0.minute }
        facts.history = history.withLock { $0.ring }
        let page = metrics.page(of: PoolStatus.families + UnreachableProvider.families + [.tokenTime])
        facts.pools = PoolStatus.all(in: page)
        facts.unreachable = UnreachableProvider.all(in: page, facts.warnings)
        facts.poolTroubles = pools.withLock { $0.troubles }
        facts.lastProviderProblem = list.withLock { $0.lastProviderProblem }
        for (labels, value) in page.values(of: .tokenTime) where value > 0 {
            facts.tokenTimes[labels["credential"] ?? ""] = Timestamp(seconds: Int64(value))
        }
        facts.receivingOutputs = Set(outputs.filter(\.sendsToReceivers).map(\.name))
        facts.configuration = configuration.withLock { $0 }
        return facts
    }
}

/// A service that updates the counts of the last minute and searches for problems, once every ``Pulse/interval``.
package struct PulseService: Service {
    private let status: StatusSource

    package init(status: StatusSource) {
        self.status = status
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat { await status.beat() } while (try? await Task.sleep(for: Pulse.interval)) != nil
        }
    }
}

extension Problem {
    fileprivate var metadata: Logger.Metadata {
        ["kind": "\(kind.rawValue)", "party": "\(party.rawValue)", "subject": "\(subject)", "problem": "\(text)"]
    }

    /// The problem in the form that `martlet top`, `martlet why` and `martlet doctor` read.
    fileprivate var report: WorkerReport.ProblemReport {
        WorkerReport.ProblemReport(
            kind: kind.rawValue, party: party.rawValue, severity: severity.rawValue, subject: subject, text: text,
            since: since)
    }
}

extension AnswerShare {
    /// The answers in the form that `martlet top` and `martlet doctor` read.
    fileprivate var report: WorkerReport.AnswerReport {
        WorkerReport.AnswerReport(
            output: output, environment: environment, accepted: accepted, retried: failed, refused: refused, p50: p50,
            p99: p99)
    }
}
