import Contract
import DeliveryPipeline
import Foundation
import TestSupport
import TestTraits
import Testing

/// The documented jobs and the documented publisher, with a worker and the simulator.
@Suite(.needsServers)
struct DocumentedJobTests {
    private static let pages = ["README.md", "docs/publish.md", "docs/apns.md", "docs/follow-a-job.md"]
    /// The guides for users of other software. Only their jobs for APNs are sent here; `make check` validates the
    /// others.
    private static let pagesFromElsewhere = [
        "README", "gorush", "rpush", "node-apn", "pushy", "apns2", "apnswift",
    ].map { "docs/from/\($0).md" }

    /// Placeholders such as `<the activity's token>` are replaced with tokens, and deadlines with future times.
    @Test func sendsDocumentedJobs() async throws {
        let fromElsewhere = try Self.pagesFromElsewhere.map { try Self.jobs(in: $0).filter { $0["output"] == nil } }
        #expect(fromElsewhere.allSatisfy { $0.count == 1 })
        let jobs = try Self.pages.flatMap { try Self.jobs(in: $0) } + fromElsewhere.joined()
        #expect(jobs.count >= 13)
        try await Installation.with { installation in
            for app in Set(jobs.compactMap { $0["app"] as? String }) { try await installation.addTokenApp(app) }
            let recipients = jobs.reduce(0) { $0 + (($1["recipients"] as? [Any])?.count ?? 0) }
            try await installation.withWorker { worker in
                try await installation.publish(
                    raw: try jobs.map {
                        String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self)
                    })
                try await eventually("\(recipients) outcomes: \(installation.results.rejections) \(worker.errors)") {
                    installation.results.tally.values.reduce(0, +) == recipients
                }
            }
            #expect(installation.results.tally == ["sent": recipients])
        }
    }

    private static func jobs(in page: String) throws -> [[String: Any]] {
        try Documents.blocks("json", in: try Documents.text(page)).compactMap { block in
            let filled = block.replacing(/"<[^>]*token>"/) { _ in "\"\(Token.random())\"" }
            let value = try JSONSerialization.jsonObject(with: Data(filled.utf8))
            guard var job = value as? [String: Any], job["recipients"] != nil else { return nil }
            if job["expires_at"] != nil { job["expires_at"] = Int(Date.now.timeIntervalSince1970) + 3_600 }
            job["results"] = nil
            return job
        }
    }

    @Test func publishesWithDocumentedPublisher() async throws {
        let program = try #require(Documents.blocks("python", in: try Documents.text("docs/publish.md")).first)
        try await Installation.with { installation in
            try await installation.addTokenApp("com.example.shop")
            let text = program.replacing("amqp://guest:guest@127.0.0.1/", with: installation.servers.broker)
                .replacing("martlet.jobs", with: installation.names.jobs)
            try await installation.withWorker { worker in
                try await installation.eventuallyConsumes(worker)
                let program = try await Subprocess.run(["/usr/bin/python3", "-c", text])
                #expect(program.status == 0, "\(program) \(worker.errors)")
                try await installation.results.wait(for: 1)
            }
            #expect(installation.results.tally == ["sent": 1], "\(installation.results.rejections)")
        }
    }
}
