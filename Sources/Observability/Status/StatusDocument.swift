import DeliveryPipeline
import Foundation
package import MartletConfiguration
import PushModel
package import Store

/// The content of `/status.json` (docs/schema/status.schema.json), from which the status page is also rendered.
package struct StatusDocument: Sendable, Encodable {
    package struct Worker: Sendable, Encodable {
        package let name: String
        package let version: String
        package let host: String
        package let pid: Int
        package let startedAt: String
        package let uptimeSeconds: Int
        /// The state of the worker, with the same values as ``FleetWorker/state``.
        package let state: String
        /// The reason why the worker is not ready, or `nil` if it is ready or draining.
        package let obstacle: String?
        package let rate: Double
        package let minute: [String: Int]
        package let jobsWaiting: Int
        package let jobsOpen: Int
        package let outcomesOpen: Int
        package let oldestJobSeconds: Int
    }

    package struct Fleet: Sendable, Encodable {
        /// The time since the table of workers was read, in seconds, or `nil` if it has not been read yet.
        package let readSecondsAgo: Int?
        /// Whether the last reading of the table is missing or out of date.
        package let isStale: Bool
        package let workers: [FleetWorker]

        private enum CodingKeys: String, CodingKey {
            case readSecondsAgo, workers
            case isStale = "stale"
        }
    }

    package struct Apps: Sendable, Encodable {
        package let count: Int
        package let shown: [AppStatus]
    }

    package struct Pools: Sendable, Encodable {
        package let count: Int
        package let shown: [PoolStatus]
    }

    package struct Credentials: Sendable, Encodable {
        package let count: Int
        package let shown: [CredentialStatus]
    }

    package let at: String
    /// The open problems in the order in which an operator should look at them.
    package let problems: [Problem]
    /// The last hour of the fleet.
    package let history: HistoryStatus
    package let worker: Worker
    package let lanes: [WorkerReport.LaneReport]
    package let fleet: Fleet
    package let apps: Apps
    /// The providers' answers in the last minute by output and environment.
    package let answers: [AnswerShare]
    package let pools: Pools
    package let credentials: Credentials
    package let refusals: [RefusalStatus]
    /// The last warnings and errors of the log, newest first.
    package let warnings: [LoggedWarning]
    package let configuration: [ConfigurationSetting]

    /// Creates the document.
    ///
    /// - Parameter problems: the open problems. If the value is `nil`, the problems are derived from `facts`, as if
    ///   they had just begun.
    package init(_ facts: StatusFacts, problems: [Problem]? = nil) {
        at = facts.now.rfc3339
        self.problems = problems ?? Self.new(of: facts)
        history = HistoryStatus(facts)
        worker = Worker(facts)
        lanes = facts.view.lanes.map {
            .init(lane: $0.lane, waiting: $0.waiting, open: $0.open, rate: $0.rate, age: $0.age)
        }
        fleet = Fleet(
            readSecondsAgo: facts.fleet.readSecondsAgo,
            isStale: facts.fleet.readSecondsAgo.map { $0 > WorkerRepository.staleSeconds } ?? true,
            workers: facts.fleet.members.map(FleetWorker.init))
        apps = Apps(count: facts.apps.count, shown: AppStatus.top(of: facts))
        answers = facts.answers
        pools = Pools(count: facts.pools.count, shown: PoolStatus.first(of: facts))
        credentials = Credentials(count: facts.credentials.count, shown: CredentialStatus.first(of: facts))
        refusals = RefusalStatus.first(of: facts)
        warnings = facts.warnings
        configuration = facts.configuration
    }

    private static func new(of facts: StatusFacts) -> [Problem] {
        var list = ProblemList()
        _ = list.update(Problem.all(of: facts), now: facts.now)
        return list.open
    }

    /// Returns the document as one line of JSON.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self).printableJSON + "\n"
    }
}

extension StatusDocument.Worker {
    fileprivate init(_ facts: StatusFacts) {
        (name, version, host, pid) = (facts.name, facts.version, facts.host, facts.pid)
        startedAt = facts.startedAt.rfc3339
        uptimeSeconds = Int(max(0, facts.now.seconds - facts.startedAt.seconds))
        switch facts.stage {
        case .waiting(let reason): (state, obstacle) = (WorkerReport.State.starting.rawValue, reason)
        case .working where facts.view.isDraining: (state, obstacle) = (WorkerReport.State.draining.rawValue, nil)
        case .working:
            let problem = facts.counts.obstacle
            (state, obstacle) = ((problem == nil ? WorkerReport.State.ready : .hindered).rawValue, problem)
        }
        rate = (facts.rate * 10).rounded() / 10
        minute = facts.minute.counts
        (jobsWaiting, jobsOpen) = (facts.counts.jobsWaiting, facts.counts.jobsOpen)
        (outcomesOpen, oldestJobSeconds) = (facts.counts.obligationsOpen, facts.counts.oldestJobSeconds)
    }
}

extension PipelineCounts {
    /// The reason why the worker is not ready, or `nil` if it consumes jobs and can publish.
    package var obstacle: String? {
        isConsuming && isPublishing ? nil : "consuming: \(isConsuming), publishing: \(isPublishing)"
    }
}
