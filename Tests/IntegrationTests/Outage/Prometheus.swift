import Foundation
import TestSupport

/// A process of Debian's Prometheus that scrapes a worker every second and evaluates the rules of deploy/prometheus.
struct Prometheus {
    private struct Answer: Decodable {
        struct Alert: Decodable {
            let labels: [String: String]
        }

        struct Rule: Decodable {
            let name: String
            let health: String
        }

        struct Group: Decodable {
            let rules: [Rule]
        }

        struct Sample: Decodable {
            let metric: [String: String]
        }

        struct Body: Decodable {
            let alerts: [Alert]?
            let groups: [Group]?
            let result: [Sample]?
        }

        let data: Body
    }

    private let port: Int
    private let process: Subprocess

    /// Starts Prometheus.
    ///
    /// - Parameters:
    ///   - worker: the port of the worker's HTTP endpoint.
    ///   - lookingBack: the range that replaces the ranges of the rules, which are minutes and hours.
    init(_ installation: Installation, worker: Int, lookingBack: String? = nil) throws {
        port = try freePort()
        var rules = try Documents.text("deploy/prometheus/martlet.rules.yaml")
        if let lookingBack { rules = rules.replacing(/\[\d+[mhd]\]/, with: "[\(lookingBack)]") }
        let file = try installation.write(rules, to: "martlet.rules.yaml")
        let configuration = try installation.write(
            """
            global: {scrape_interval: 1s, evaluation_interval: 1s}
            rule_files: ["\(file)"]
            scrape_configs:
              - job_name: martlet
                static_configs: [{targets: ["127.0.0.1:\(worker)"]}]
            """, to: "prometheus.yml")
        process = try Subprocess([
            "/usr/bin/prometheus", "--config.file=\(configuration)", "--web.listen-address=127.0.0.1:\(port)",
            "--storage.tsdb.path=\(installation.path("prometheus"))",
        ])
    }

    var errors: String { process.errors }

    func stop() { process.signal(SIGKILL) }

    func finish() async throws -> Subprocess.Finished {
        process.signal(SIGTERM)
        return try await process.finish()
    }

    /// Returns the names of the alerts that are pending or fire.
    func alerts() async throws -> Set<String> {
        Set(try await ask("alerts").alerts?.compactMap { $0.labels["alertname"] } ?? [])
    }

    /// Returns the health of each rule, by its name.
    func rules() async throws -> [String: String] {
        let rules = try await ask("rules").groups?.flatMap(\.rules) ?? []
        return Dictionary(rules.map { ($0.name, $0.health) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns whether an expression has a result.
    func finds(_ expression: String) async throws -> Bool {
        try await ask("query", ["query": expression]).result?.isEmpty == false
    }

    private func ask(_ path: String, _ query: [String: String] = [:]) async throws -> Answer.Body {
        let options = query.flatMap { ["--data-urlencode", "\($0.key)=\($0.value)"] }
        let answer = try await Subprocess.run(
            ["/usr/bin/curl", "-s", "-G", "--max-time", "5", "http://127.0.0.1:\(port)/api/v1/\(path)"] + options)
        return try JSONDecoder().decode(Answer.self, from: Data(answer.output.utf8)).data
    }
}
