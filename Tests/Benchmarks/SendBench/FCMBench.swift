import Foundations
import ArgumentParser
import FCMOutput
import Foundation
import Logging
import NIOPosix
import PushModel
import Store

/// A benchmark of the send path through the FCM output alone.
struct SendFCM: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send-fcm",
        abstract: "Send messages to a simulator of FCM, and print the CPU time per message as JSON.")

    @Option(help: "The host:port of a simulator.")
    var endpoint: String

    @Option(help: "The PEM file with the authority to trust.")
    var caFile: String

    @Option(help: "The JSON file of the service account.")
    var account: String

    @Option(help: "The file with the payload.")
    var payloadFile: String

    @Option(help: "The number of messages. Each has its own token.")
    var count = 200_000

    func run() async throws {
        guard let endpoint = try? Endpoint(endpoint) else { throw ValidationError("--endpoint: must be host:port") }
        var configuration = FCMConfiguration()
        configuration.endpoint = endpoint
        configuration.tokenEndpoint = endpoint
        configuration.authorityFile = caFile
        configuration.maximumConnections = 1
        configuration.quotaPerMinute = 1_000_000_000
        let file = CredentialFile(name: account, contents: Secret(try Data(contentsOf: URL(filePath: account))))
        let new = try FCMCredentials().read([file], CredentialDetails(), now: .now)
        let credential = Credential(
            id: "bench", output: "fcm", kind: new.kind, account: new.account, environments: new.environments)
        let output = FCMSender(
            configuration: configuration, eventLoops: MultiThreadedEventLoopGroup(numberOfThreads: 1),
            logger: Logger(label: "bench"), clock: { .now })
        let warmUp = CountingSink(count: 1)
        output.send(RoutedJob(try makeJob(first: count, size: 1), credential), reportingTo: warmUp)
        await warmUp.wait()
        let jobs = try stride(from: 0, to: count, by: 1_000).map { first in
            RoutedJob(try makeJob(first: first, size: min(1_000, count - first)), credential)
        }
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

    /// Creates a job with tokens as long as Google's.
    private func makeJob(first: Int, size: Int) throws -> Job {
        let payload = try String(contentsOfFile: payloadFile, encoding: .utf8)
        let tail = String(repeating: "x", count: 120)
        let tokens = (first..<first + size).map { "\"bench\($0):APA91b\(tail)\"" }
        let body = """
            {"id":"bench","app":"bench","output":"fcm","recipients":[\(tokens.joined(separator: ","))],"payload":\(payload)}
            """
        return try JobDecoder.decode(Array(body.utf8), makeID: { "bench" })
    }
}

extension RoutedJob {
    fileprivate convenience init(_ job: Job, _ credential: Credential) {
        self.init(
            job: job, environment: .production, credential: credential, lane: .normal, attempt: 1, redelivered: false,
            ledgerID: 0)
    }
}
