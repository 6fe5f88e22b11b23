import Contract
import DeliveryPipeline
import Foundation
import TestSupport

/// A copy of a folder of examples/clients that uses the exchanges and queues of one installation.
struct ClientExample {
    let folder: URL
    let language: ClientLanguage

    /// Returns the name of the consumer's queue.
    static func queue(_ installation: Installation) -> String { "\(installation.names.prefix).kept" }

    /// Copies and builds the programs of a language.
    ///
    /// - Parameters:
    ///   - exchange: the exchange to which the publisher publishes, or `nil` for the exchange of jobs.
    ///   - queue: the consumer's queue, or `nil` for ``queue(_:)``.
    init(
        _ language: ClientLanguage, to exchange: String? = nil, queue: String? = nil, _ installation: Installation
    ) async throws {
        self.language = language
        folder = try Self.copy(language.folder, to: exchange, queue: queue, installation)
        try await language.build(in: folder)
    }

    func start(_ program: String, _ arguments: [String] = [], url: String) throws -> Subprocess {
        try Subprocess(
            language.command(program, in: folder) + arguments, environment: ["AMQP_URL": Self.named(url)], in: folder)
    }

    /// Returns a URL that names the virtual host. Most clients read a final slash as a virtual host with an empty name.
    static func named(_ url: String) -> String { url.hasSuffix("/") ? "\(url)%2F" : url }

    func publish(_ id: String, to tokens: [String], url: String) async throws -> Subprocess.Finished {
        try await start("publish", [id] + tokens, url: url).finish()
    }

    /// Returns a job that is rejected with a `detail`, and the line that a consumer prints for it.
    static func unclearJob(_ id: String, app: String) -> (job: JobText, line: String) {
        let token = Token.random()
        var job = JobText(id, app: app, to: [token])
        job.payload = "{}"
        let detail = "the job has no push_type, and the payload has no aps"
        return (job, "problem \(id) rejected InvalidPushType \(token) (\(detail))")
    }

    static func copy(
        _ source: URL, to exchange: String? = nil, queue: String? = nil, _ installation: Installation
    ) throws -> URL {
        let files = FileManager.default
        let folder = installation.folder.appending(path: "clients-\(UUID().uuidString)")
        try files.copyItem(at: source, to: folder)
        for path in try files.subpathsOfDirectory(atPath: folder.path) where !path.hasPrefix("node_modules/") {
            let file = folder.appending(path: path)
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            let own = text.replacing("martlet.jobs", with: exchange ?? installation.names.jobs)
                .replacing("martlet.results", with: installation.names.results)
                .replacing("shop.push-results", with: queue ?? self.queue(installation))
            // Overwriting a file keeps its execute permission.
            try Data(own.utf8).write(to: file)
        }
        return folder
    }
}
