import APNSSimulator
import PushModel

/// The uses of credentials by workers, found by joining result events with the simulator's records.
struct Usage {
    struct Use {
        let app: String
        let credential: String
        let worker: String
        let at: Timestamp
    }

    let uses: [Use]

    init(_ installation: Installation, _ load: SteadyLoad) {
        let published = load.published
        let recorded = installation.simulator.recordedRequests.filter { $0.status == 200 }
        let credentials = Dictionary(recorded.map { ($0.token, $0.credential ?? "-") }) { $1 }
        uses = installation.results.entries.flatMap { addressee, entries in
            entries.compactMap { entry in
                guard let app = published[addressee.token], let credential = credentials[addressee.token],
                    let worker = entry.worker, let at = Timestamp(rfc3339: entry.outcome.at)
                else { return nil }
                return Use(app: app, credential: credential, worker: worker, at: at)
            }
        }
    }

    /// Returns the workers that have used a credential for an app since the given time.
    func workers(using credential: String, for app: String, since start: Timestamp) -> Set<String> {
        Set(uses.filter { $0.credential == credential && $0.app == app && $0.at > start }.map(\.worker))
    }

    /// Returns the time from a change to the first matching use, in milliseconds, by worker.
    func first(after start: Timestamp, _ fits: (Use) -> Bool) -> [String: Int64] {
        milliseconds(after: start, min, fits)
    }

    /// Returns the time from a change to the last matching use, in milliseconds, by worker.
    func last(after start: Timestamp, _ fits: (Use) -> Bool) -> [String: Int64] {
        milliseconds(after: start, max, fits)
    }

    private func milliseconds(
        after start: Timestamp, _ better: (Int64, Int64) -> Int64, _ fits: (Use) -> Bool
    ) -> [String: Int64] {
        Dictionary(
            uses.filter { $0.at > start && fits($0) }.map { ($0.worker, $0.at.milliseconds - start.milliseconds) },
            uniquingKeysWith: better)
    }
}
