/// A row of `martlet.workers` that was written lately.
public struct FleetMember: Sendable, Hashable {
    public let id: String
    public let name: String
    public let version: String
    public let outputs: [String]
    /// Both by the database's clock.
    public let uptimeSeconds: Int
    public let silentSeconds: Int
    /// nil: of a version that says nothing of itself.
    public let report: WorkerReport?

    public init(
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

    /// It was not heard of for so long that it counts no longer: killed, or cut off.
    public var isSilent: Bool { silentSeconds > WorkerRepository.staleSeconds }
}

extension [FleetMember] {
    public var running: [FleetMember] { filter { !$0.isSilent } }

    public var silent: [FleetMember] { filter(\.isSilent) }

    /// The open problems of all running workers, each once, in the order in which to look at them.
    public var problems: [WorkerReport.ProblemReport] {
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

    /// Jobs that those that run have received and not settled.
    public var jobsInHand: Int {
        running.flatMap { $0.report?.lanes ?? [] }.reduce(0) { $0 + $1.waiting + $1.open }
    }
}
