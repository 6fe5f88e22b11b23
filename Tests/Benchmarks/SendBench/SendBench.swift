import Foundations
import APNSOutput
import ArgumentParser
import Foundation
import Glibc
import Logging
import Metering
import NIOPosix
import PushModel
import Store

@main
struct MartletBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet-bench", abstract: "Measures parts of Martlet in isolation.",
        subcommands: [Send.self, SendFCM.self, WebPushFloor.self, Tokens.self, Webhook.self])
}

/// A benchmark of the send path alone. Decoded jobs go through the APNs output over one connection.
struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send pushes to one endpoint, and print the CPU time per push as JSON.")

    @Option(help: "The host:port of a simulator.")
    var endpoint: String

    @Option(help: "The PEM file with the authority to trust.")
    var caFile: String

    @Option(help: "The team, key id and file of a .p8 key, as TEAM:KEYID:FILE.")
    var tokenKey: String

    @Option(help: "The app's bundle id.")
    var topic: String

    @Option(help: "The file with the payload.")
    var payloadFile: String

    @Option(help: "The number of pushes. Each has its own device token.")
    var count = 200_000

    @Option(help: "The maximum number of connections.")
    var connections = 1

    @Option(help: "Push for this many seconds, and count the pushes of the second half. Overrides --count.")
    var seconds: Int?

    @Flag(help: "Update the metrics that a worker updates.")
    var metrics = false

    func run() async throws {
        guard let endpoint = try? Endpoint(endpoint) else { throw ValidationError("--endpoint: must be host:port") }
        var configuration = APNSConfiguration(
            production: endpoint, authorityFile: caFile, maximumConnections: connections)
        if metrics { configuration.metrics = MetricRegistry() }
        let output = APNSSender(
            configuration: configuration, tokens: LocalTokenStore(clock: { .now }),
            eventLoops: MultiThreadedEventLoopGroup(numberOfThreads: 1),
            logger: Logger(label: "bench"), clock: { .now })
        // The first push opens and authenticates the connection, which is not measured.
        let warmUp = CountingSink(count: 1)
        output.send(try routed(makeJob(first: count, size: 1)), reportingTo: warmUp)
        await warmUp.wait()

        if let seconds {
            let rate = try await Load(job: routed(makeJob(first: 0, size: 500)), output: output).rate(seconds: seconds)
            print("{\"pushes_per_second\": \(rate)}")
            // Queued jobs are abandoned because the process ends.
            return
        }
        let jobs = try makeJobs()
        let sink = CountingSink(count: count)
        let started = ContinuousClock.now
        let cpu = cpuMicroseconds()
        for job in jobs { output.send(job, reportingTo: sink) }
        await sink.wait()
        let spent = cpuMicroseconds() - cpu
        let seconds = (ContinuousClock.now - started) / .seconds(1)
        await output.shutDown()
        guard sink.sent == count else { throw ValidationError("only \(sink.sent) of \(count) were accepted") }
        print("{\"cpu_us_per_push\": \(Double(spent) / Double(count)), \"seconds\": \(seconds)}")
    }

    private func makeJobs() throws -> [RoutedJob] {
        try stride(from: 0, to: count, by: 1_000).map { first in
            try routed(makeJob(first: first, size: min(1_000, count - first)))
        }
    }

    private func makeJob(first: Int, size: Int) throws -> Job {
        let payload = try String(contentsOfFile: payloadFile, encoding: .utf8)
        let tokens = (first..<first + size).map { number in
            let digits = String(number, radix: 16)
            return "\"0a11fe57" + String(repeating: "0", count: 56 - digits.count) + digits + "\""
        }
        let body = """
            {"id":"bench","app":"\(topic)","recipients":[\(tokens.joined(separator: ","))],"payload":\(payload)}
            """
        return try JobDecoder.decode(Array(body.utf8), makeID: { "bench" })
    }

    private func routed(_ job: Job) throws -> RoutedJob {
        let parts = tokenKey.split(separator: ":", maxSplits: 2).map(String.init)
        guard parts.count == 3 else { throw ValidationError("--token-key: must be TEAM:KEYID:FILE") }
        let key = Secret(try Data(contentsOf: URL(filePath: parts[2])))
        return RoutedJob(
            job: job, environment: .production,
            credential: Credential(
                id: "bench", kind: .token(keyID: parts[1], privateKeyPEM: key), account: parts[0],
                environments: [.production]),
            lane: .normal, attempt: 1, redelivered: false, ledgerID: 0)
    }
}

/// Returns the CPU time that this process has used, in microseconds.
func cpuMicroseconds() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000
        + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
}
