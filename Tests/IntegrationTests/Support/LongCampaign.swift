import PushModel
import TestSupport
import Testing

/// Many jobs with many recipients, some of them dead, whose answers take a little: long enough to be disturbed.
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

    /// Few streams and little in flight, so that most of it still waits when the first outcomes come.
    static let streamLimit = 20
    static let workerConfiguration: [String: String?] = ["worker.maximum_in_flight": "500"]

    /// Waits until every recipient has its outcome and the worker that listens at `port` is through with all jobs: those
    /// that the broker delivered again may have nothing left to tell, and still wait for their turn.
    func finish(in installation: Installation, port: Int) async throws {
        try await installation.results.wait(for: recipients)
        // A job on its way from the broker to the worker is with neither, so one look is not enough.
        var idleLooks = 0
        try await eventually("no job is left") {
            idleLooks = try await isDone(in: installation, port: port) ? idleLooks + 1 : 0
            return idleLooks == 3
        }
    }

    private func isDone(in installation: Installation, port: Int) async throws -> Bool {
        // The test's own connection goes with a server that is restarted.
        guard let waiting = try? await installation.waitingMessages(delays: []), waiting.isEmpty else { return false }
        let metrics = try await WorkerEndpoint.answer("metrics", port: port)
        return ["jobs_waiting", "jobs_open"].allSatisfy { metrics.contains("\nmartlet_\($0) 0\n") }
    }

    /// Every recipient has its outcome, none a second one that does not say that its job was delivered again, and
    /// every dead token its mark.
    func check(in installation: Installation) async throws {
        let entries = installation.results.entries
        #expect(entries.count == recipients)
        let tokens = Set(entries.keys.map(\.token))
        for job in jobs { for recipient in job.recipients { #expect(tokens.contains(recipient.token)) } }
        for (addressee, found) in entries {
            let first = found.filter { $0.outcome.redelivered == nil }
            #expect(first.count <= 1, "\(addressee): \(found)")
            // A job that comes again finds the token marked.
            let kinds = dead.contains(addressee.token) ? ["unregistered", "suppressed"] : ["sent"]
            #expect(found.allSatisfy { kinds.contains($0.verdict.kind) }, "\(addressee): \(found)")
        }
        #expect(try await installation.markedTokens(of: Self.app) == dead)
        #expect(try await installation.waitingMessages(delays: []).isEmpty)
    }
}
