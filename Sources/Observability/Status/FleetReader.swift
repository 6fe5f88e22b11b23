import PushModel
package import Store

/// A cache of the table of workers. ``fleet()`` reads the table if the last attempt ended at least five seconds ago,
/// and waits at most two seconds for it. If the reading fails, the last result stays in use and its age is shown.
package actor FleetReader {
    private static let interval = Duration.seconds(5)
    private static let patience = Duration.seconds(1)

    private typealias Found = (members: [FleetMember], pauses: [AppPause])

    private var workers: WorkerRepository?
    private var audit: AuditRepository?
    private var found: Found = ([], [])
    private var history = FleetHistory()
    private var sum: HistorySum?
    private var readAt: ContinuousClock.Instant?
    private var notBefore = ContinuousClock.now
    private var reading: Task<Found?, Never>?

    package func reads(_ workers: WorkerRepository, _ audit: AuditRepository) {
        (self.workers, self.audit) = (workers, audit)
    }

    package func fleet() async -> StatusFacts.FleetFacts {
        if let workers, let audit, reading == nil, .now >= notBefore {
            reading = Task { await Self.read(workers, audit) }
        }
        if let reading {
            let found = await reading.value
            if self.reading == reading {
                (self.reading, notBefore) = (nil, .now + Self.interval)
                if let found {
                    (self.found, readAt) = (found, .now)
                    // The sum is computed once per reading instead of once per page, because it decodes the history of
                    // every worker.
                    sum = history.update(found.members, now: Timestamp.now)
                }
            }
        }
        return StatusFacts.FleetFacts(
            members: found.members, pauses: found.pauses, readSecondsAgo: readAt.map { Int((.now - $0) / .seconds(1)) },
            history: sum)
    }

    /// Reads the workers and the paused apps. Returns `nil` if the database does not answer in time or the workers
    /// can't be read.
    private static func read(_ workers: WorkerRepository, _ audit: AuditRepository) async -> Found? {
        await withTaskGroup(of: Found?.self) { group in
            group.addTask {
                guard let members = try? await workers.fleet(timeout: patience) else { return nil }
                return (members, (try? await audit.pauses(timeout: patience)) ?? [])
            }
            group.addTask {
                try? await Task.sleep(for: patience * 2)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
