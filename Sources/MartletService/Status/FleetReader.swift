import PushModel
import Store

/// What the table of workers says: read when somebody asks, at most every five seconds however many ask, and for a second at most.
/// What was read last stays, with its age.
actor FleetReader {
    private static let interval = Duration.seconds(5)
    private static let patience = Duration.seconds(1)

    private var repository: WorkerRepository?
    private var members: [FleetMember] = []
    private var readAt: ContinuousClock.Instant?
    private var notBefore = ContinuousClock.now
    private var reading: Task<[FleetMember]?, Never>?

    func reads(_ repository: WorkerRepository) { self.repository = repository }

    func fleet() async -> StatusFacts.FleetFacts {
        if let repository, reading == nil, .now >= notBefore {
            reading = Task { await Self.read(repository) }
        }
        if let reading {
            let found = await reading.value
            if self.reading == reading {
                (self.reading, notBefore) = (nil, .now + Self.interval)
                if let found { (members, readAt) = (found, .now) }
            }
        }
        return StatusFacts.FleetFacts(
            members: members, readSecondsAgo: readAt.map { Int((.now - $0) / .seconds(1)) })
    }

    /// nil: the database did not answer in time.
    private static func read(_ repository: WorkerRepository) async -> [FleetMember]? {
        await withTaskGroup(of: [FleetMember]?.self) { group in
            group.addTask { try? await repository.fleet(timeout: patience) }
            group.addTask {
                try? await Task.sleep(for: patience)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
