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
    /// The worker's report, or `nil` if its version does not write one.
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

    /// The open problems of all running workers, most important first. A problem that several workers report is listed
    /// once.
    package var problems: [WorkerReport.ProblemReport] {
        let reported = running.flatMap { $0.report?.problems ?? [] }
        let names = running.flatMap { Set(($0.report?.problems ?? []).map { [$0.kind, $0.subject] }) }
        let workers = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
        var known: Set<[String]> = []
        return reported.filter { known.insert([$0.kind, $0.subject]).inserted }
            .map { $0.reported(by: workers[[$0.kind, $0.subject]] ?? 1) }
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
