import DeliveryPipeline
import Foundation
import TestSupport

/// A copy of one of the folders of examples/clients, with the names of one installation.
struct ClientExample {
    let folder: URL
    let language: ClientLanguage

    static func queue(_ installation: Installation) -> String { "\(installation.names.prefix).kept" }

    /// - Parameter exchange: where the publisher publishes to, in place of the exchange of jobs.
    init(_ language: ClientLanguage, to exchange: String? = nil, _ installation: Installation) async throws {
        self.language = language
        folder = try Self.copy(language.folder, to: exchange, installation)
        try await language.build(in: folder)
    }

    func start(_ program: String, _ arguments: [String] = [], url: String) throws -> Subprocess {
        // Most clients take a single slash for a virtual host without a name.
        let environment = ["AMQP_URL": url.hasSuffix("/") ? "\(url)%2F" : url]
        return try Subprocess(language.command(program, in: folder) + arguments, environment: environment, in: folder)
    }

    func publish(_ id: String, to tokens: [String], url: String) async throws -> Subprocess.Finished {
        try await start("publish", [id] + tokens, url: url).finish()
    }

    static func copy(_ source: URL, to exchange: String? = nil, _ installation: Installation) throws -> URL {
        let files = FileManager.default
        let folder = installation.folder.appending(path: "clients-\(UUID().uuidString)")
        try files.copyItem(at: source, to: folder)
        for path in try files.subpathsOfDirectory(atPath: folder.path) where !path.hasPrefix("node_modules/") {
            let file = folder.appending(path: path)
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            let own = text.replacing("martlet.jobs", with: exchange ?? installation.names.jobs)
                .replacing("martlet.results", with: installation.names.results)
                .replacing("shop.push-results", with: queue(installation))
            // In place: it stays a program.
            try Data(own.utf8).write(to: file)
        }
        return folder
    }
}
