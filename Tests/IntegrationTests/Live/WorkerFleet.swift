import Foundation
import TestSupport

/// Three workers, each in a process of its own, with logs at trace level.
struct WorkerFleet {
    static let names = ["worker-1", "worker-2", "worker-3"]

    private let processes: [Subprocess]

    /// Runs the workers while `body` runs, then stops them as an operator would.
    ///
    /// - Returns: the logs of all workers.
    static func run(
        in installation: Installation, _ body: (WorkerFleet) async throws -> Void
    ) async throws -> String {
        let fleet = WorkerFleet(
            processes: try names.map {
                try installation.startWorker(["worker.name": $0, "log.level": "trace", "retry.delays": "1,2"])
            })
        do {
            try await body(fleet)
        } catch {
            for process in fleet.processes { process.signal(SIGKILL) }
            throw Failure(description: "\(error)\n\(fleet.logs.suffix(6_000))")
        }
        for process in fleet.processes { process.signal(SIGTERM) }
        for process in fleet.processes {
            let finished = try await process.finish()
            guard finished.status == 0 else { throw Failure(description: "a worker \(finished)") }
        }
        return fleet.logs
    }

    var logs: String { processes.map { $0.output + $0.errors }.joined() }

    /// Returns the number of workers whose log has a line with all of these words.
    func haveLogged(_ words: String...) -> Int {
        processes.count { process in
            process.errors.split(separator: "\n").contains { line in words.allSatisfy { line.contains($0) } }
        }
    }
}
