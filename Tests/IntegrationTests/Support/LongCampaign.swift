import PushModel
import TestSupport
import Testing

/// A campaign that takes long enough for a test to disturb it: many jobs with many recipients, some of them dead, and
/// slow answers.
struct LongCampaign: Sendable {
    static let app = "com.example.shop"
    let jobs: [JobText]
    let recipients: Int
    let dead: Set<String>

    init(jobs count: Int = 200, recipients perJob: Int = 50) {
        var dead: Set<String> = []
        jobs = (0..<count).map { number in
            var tokens = Token.random(Token.slow(5), count: perJob - 1)
            let gone = Token.random(Token.dead)
            dead.insert(gone)
            tokens.insert(gone, at: number % perJob)
            return JobText("campaign-\(number)", app: Self.app, to: tokens)
        }
        recipients = count * perJob
        self.dead = dead
    }

    /// The simulator's stream limit. This and the limit on pushes in flight are low, so that most of the campaign still
    /// waits when the first outcomes arrive.
    static let streamLimit = 20
    static let workerConfiguration: [String: String?] = ["worker.maximum_in_flight": "500"]

    /// Waits until every recipient has an outcome and the worker at `port` has settled all jobs. Redelivered jobs may
    /// still wait in the worker after their last outcome is published.
    func finish(in installation: Installation, port: Int) async throws {
        try await installation.results.wait(for: recipients)
        // While a job is in transit from the broker to the worker, neither counts it. Therefore the check must succeed
        // three times.
        var idleLooks = 0
        try await eventually("all jobs are settled") {
            idleLooks = try await isDone(in: installation, port: port) ? idleLooks + 1 : 0
            return idleLooks == 3
        }
    }

    private func isDone(in installation: Installation, port: Int) async throws -> Bool {
        // A restart of the broker also closes the test's connection.
        guard let waiting = try? await installation.waitingMessages(delays: []), waiting.isEmpty else { return false }
        let metrics = try await WorkerEndpoint.answer("metrics", port: port)
        return ["jobs_waiting", "jobs_open"].allSatisfy { metrics.contains("\nmartlet_\($0) 0\n") }
    }

    /// Checks that every recipient has an outcome, that at most one of its outcomes is not `redelivered`, and that
    /// every dead token is marked.
    func check(in installation: Installation) async throws {
        let entries = installation.results.entries
        #expect(entries.count == recipients)
        let tokens = Set(entries.keys.map(\.token))
        for job in jobs { for recipient in job.recipients { #expect(tokens.contains(recipient.token)) } }
        for (addressee, found) in entries {
            let first = found.filter { $0.outcome.redelivered == nil }
            #expect(first.count <= 1, "\(addressee): \(found)")
            // A redelivered job may find the token marked already.
            let kinds = dead.contains(addressee.token) ? ["unregistered", "suppressed"] : ["sent"]
            #expect(found.allSatisfy { kinds.contains($0.verdict.kind) }, "\(addressee): \(found)")
        }
        #expect(try await installation.markedTokens(of: Self.app) == dead)
        #expect(try await installation.waitingMessages(delays: []).isEmpty)
    }
}
