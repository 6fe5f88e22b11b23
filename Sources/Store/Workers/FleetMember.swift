/// A worker of the fleet, as its row of `martlet.workers` describes it.
package struct FleetMember: Sendable, Hashable {
    package let id: String
    package let name: String
    package let version: String
    package let outputs: [String]
    /// The time since the worker started, in seconds by the database's clock.
    package let uptimeSeconds: Int
    /// The time since the worker last renewed its row, in seconds by the database's clock.
    package let silentSeconds: Int
    /// The worker's report, or `nil` if its row has no report that this version can read.
    package let report: WorkerReport?

    package init(
        id: String, name: String, version: String, outputs: [String], uptimeSeconds: Int, silentSeconds: Int,
        report: WorkerReport?
    ) {
        self.id = id
        self.name = name
        self.version = version
        self.outputs = outputs
        self.uptimeSeconds = uptimeSeconds
        self.silentSeconds = silentSeconds
        self.report = report
    }

    /// Whether the worker no longer counts, because it has not renewed its row for more than
    /// ``WorkerRepository/staleSeconds``. Such a worker was killed or lost its connection.
    package var isSilent: Bool { silentSeconds > WorkerRepository.staleSeconds }
}

extension [FleetMember] {
    package var running: [FleetMember] { filter { !$0.isSilent } }

    package var silent: [FleetMember] { filter(\.isSilent) }

    /// The open problems of all running workers, most important first. Problems of several workers are listed as one if
    /// they have the same kind and subject and their texts differ only in numbers.
    package var problems: [WorkerReport.ProblemReport] {
        var found: [(problem: WorkerReport.ProblemReport, workers: [String])] = []
        var places: [[String]: Int] = [:]
        for member in running {
            for problem in member.report?.problems ?? [] {
                let key = [problem.kind, problem.subject, String(problem.text.filter { !$0.isNumber })]
                if let place = places[key] {
                    if found[place].workers.last != member.name { found[place].workers.append(member.name) }
                } else {
                    places[key] = found.count
                    found.append((problem, [member.name]))
                }
            }
        }
        let isAlone = running.count == 1
        return found.map { isAlone ? $0.problem : $0.problem.reported(by: $0.workers) }
            .enumerated().sorted { left, right in
                func rank(_ item: (offset: Int, element: WorkerReport.ProblemReport)) -> (Int, Int) {
                    (item.element.severity == "trouble" ? 0 : 1, item.offset)
                }
                return rank(left) < rank(right)
            }.map(\.element)
    }

    /// The number of jobs that the running workers have received and not settled.
    package var jobsInHand: Int {
        running.flatMap { $0.report?.lanes ?? [] }.reduce(0) { $0 + $1.waiting + $1.open }
    }
}
