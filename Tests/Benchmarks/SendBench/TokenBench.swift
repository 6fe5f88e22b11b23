import ArgumentParser
import Foundation
import Logging
import PostgresClient
import PushModel
import Store

/// Benchmarks of the device token registry alone. The database must already have the schema.
struct Tokens: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure marking and looking up dead tokens, and print the results as JSON.",
        subcommands: [Mark.self, Screen.self])

    /// A benchmark that marks tokens as pipelines do: a thousand tokens per statement, and one statement at a time for
    /// each worker.
    struct Mark: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Mark tokens dead, as a number of workers does.")

        @Option(help: "The URL of the database.")
        var databaseURL: String

        @Option(help: "The app's bundle id.")
        var app: String

        @Option(help: "The number of the first token.")
        var first = 0

        @Option(help: "The number of tokens.")
        var count = 100_000

        @Option(help: "The step from one marked token to the next.")
        var every = 1

        @Option(help: "The number of workers.")
        var workers = 1

        @Option(help: "The number of tokens in a statement.")
        var size = 1_000

        @Option(help: "The kind of address.")
        var kind = BenchAddress.device

        func run() async throws {
            var options = PostgresPool.Options()
            options.maximumConnections = workers
            let pool = PostgresPool(try PostgresConfiguration(url: databaseURL), options: options, logger: .quiet)
            let registry = DeviceTokenRegistry(pool)
            let start = ContinuousClock.now
            let changed = try await withThrowingTaskGroup(of: Int.self) { group in
                for worker in 0..<workers {
                    group.addTask {
                        var changed = 0
                        for batch in stride(from: worker * size, to: count, by: workers * size) {
                            changed += try await registry.mark(
                                (batch..<min(batch + size, count)).map { mark(first + $0 * every) })
                        }
                        return changed
                    }
                }
                return try await group.reduce(0, +)
            }
            let seconds = (.now - start) / .seconds(1)
            print(#"{"changed": \#(changed), "rows_per_second": \#(Double(count) / seconds)}"#)
        }

        private func mark(_ number: Int) -> TokenMark {
            TokenMark(key: kind.key(kind.text(number), app: app), unregisteredAt: .now, reason: "Unregistered")
        }
    }

    /// A benchmark of looking up whether a push's token is dead, in the filter and in the database.
    struct Screen: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Load the filter of dead tokens, and look living tokens up in the filter and in the database.")

        @Option(help: "The URL of the database.")
        var databaseURL: String

        @Option(help: "The app's bundle id.")
        var app: String

        @Option(help: "The number of the first living token.")
        var first = 0

        @Option(help: "The step from one token to the next.")
        var every = 1

        @Option(help: "The number of tokens.")
        var count = 100_000

        @Option(help: "The maximum size of the filter, in MB.")
        var memory = 64

        @Option(help: "The kind of address.")
        var kind = BenchAddress.device

        func run() async throws {
            let pool = PostgresPool(try PostgresConfiguration(url: databaseURL), logger: .quiet)
            var configuration = DeadTokenFeed.Configuration()
            configuration.maximumBytes = memory << 20
            let feed = DeadTokenFeed(pool, configuration: configuration, logger: .quiet)
            let (filters, loaded) = AsyncStream.makeStream(of: DeadTokenFilter.self)
            let (loadStart, loadCPU) = (ContinuousClock.now, cpuSeconds())
            let following = Task {
                await feed.run { if case .loaded(let filter) = $0 { loaded.yield(filter) } }
            }
            guard let filter = await filters.first(where: { _ in true }) else { return }
            let loadSeconds = (.now - loadStart) / .seconds(1)
            let loadCPUSeconds = cpuSeconds() - loadCPU
            following.cancel()
            await following.value

            let tokens = (0..<count).map { Array(kind.text(first + $0 * every).utf8) }
            let rounds = max(1, 2_000_000 / count)
            var uncleared = 0
            let filterCPU = cpuSeconds()
            for _ in 0..<rounds {
                let seed = TokenHash.seed(output: kind.output, app: app, environment: .production)
                for token in tokens {
                    let hash = token.withUnsafeBytes { TokenHash.hash(address: $0, form: kind.form, seed: seed) }
                    if filter.mayContain(hash) { uncleared += 1 }
                }
            }
            let filterNanoseconds = (cpuSeconds() - filterCPU) / Double(rounds * count) * 1e9

            let registry = DeviceTokenRegistry(pool)
            let asked = min(count, 100_000)
            let (askStart, askCPU) = (ContinuousClock.now, cpuSeconds())
            for batch in stride(from: 0, to: asked, by: 1_000) {
                let some = tokens[batch..<min(batch + 1_000, asked)]
                _ = try await registry.deaths(
                    among: some.map { kind.key(String(decoding: $0, as: UTF8.self), app: app) })
            }
            let askMicroseconds = (.now - askStart) / .seconds(1) / Double(asked) * 1e6
            let askCPUMicroseconds = (cpuSeconds() - askCPU) / Double(asked) * 1e6
            print(
                """
                {"dead": \(filter.count), "bytes": \(filter.bytes), "load_seconds": \(loadSeconds), \
                "load_cpu_seconds": \(loadCPUSeconds), "filter_ns": \(filterNanoseconds), \
                "uncleared": \(Double(uncleared) / Double(rounds * count)), "query_us": \(askMicroseconds), \
                "query_cpu_us": \(askCPUMicroseconds)}
                """)
        }
    }
}

private func cpuSeconds() -> Double { Double(cpuMicroseconds()) / 1e6 }

extension Logger {
    fileprivate static var quiet: Logger {
        var logger = Logger(label: "bench")
        logger.logLevel = .warning
        return logger
    }
}
