import APNSOutput
import ArgumentParser
import Foundation
import Logging
import MartletCommand
import MartletService
import NIOPosix
import PushModel
import Store

struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Send one push straight to APNs, without broker and database: to try a key.",
        discussion: """
            Where APNs is comes from apns.endpoint.production and apns.endpoint.sandbox, so a simulator is used with
            --set apns.endpoint.production=127.0.0.1:2197 --set apns.ca_file=ca.pem
            """)

    @Argument(help: "Device tokens in hex.")
    var tokens: [String]

    @Option(help: "The app's bundle id.")
    var app: String

    @Option(
        name: .customLong("credential"),
        help: ArgumentHelp("A .p8 key, a .p12 or PEM; certificate and key may be in two files.", valueName: "file"),
        completion: .file())
    var files: [String]

    @OptionGroup var credential: CredentialFileOptions

    @Option(help: "production or sandbox.")
    var to: PushEnvironment = .production

    @Option(help: "The alert's text, in place of a payload.")
    var alert: String?

    @Option(help: "File with the JSON payload; '-' reads standard input.", completion: .file())
    var payload: String?

    @Option(help: "apns-push-type, when the payload does not tell.")
    var pushType: String?

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let source = try await options.load()
        let new = try credential.read(files, for: APNSCredentials())
        let job = try makeJob()
        let output = APNSOutput(
            configuration: try source.apns(), tokens: LocalTokenStore(clock: { .now }),
            eventLoops: MultiThreadedEventLoopGroup.singleton,
            logger: try source.logger("martlet.push", atLeast: .notice), clock: { .now })
        let sink = WaitingSink()
        output.send(
            RoutedJob(
                job: job, environment: to,
                credential: Credential(
                    id: "push", kind: new.kind, account: new.account, environments: new.environments, topics: new.topics
                ),
                lane: .urgent, attempt: 1, redelivered: false, ledgerID: 0),
            reportingTo: sink)
        var failures = 0
        for try await outcome in sink.outcomes.prefix(job.recipients.count) {
            print(describe(outcome, of: job))
            if outcome.verdict != .sent { failures += 1 }
        }
        await output.shutDown()
        if failures > 0 { throw ExitCode.failure }
    }

    private func makeJob() throws -> Job {
        var writer = JSONObjectWriter(capacity: 1024)
        writer.member("app", string: app)
        if let pushType { writer.member("push_type", string: pushType) }
        writer.array("recipients") { output in
            for (index, token) in tokens.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                JSONText.append(token, to: &output)
            }
        }
        writer.member("payload", raw: try payloadBytes())
        do throws(JobRejection) {
            return try JobDecoder.decode(writer.finish(), makeID: { UUID().uuidString.lowercased() })
        } catch {
            throw ValidationError(error.description)
        }
    }

    private func payloadBytes() throws -> [UInt8] {
        switch (alert, payload) {
        case (let alert?, nil):
            var aps = JSONObjectWriter(capacity: 256)
            aps.member("alert", string: alert)
            var payload = JSONObjectWriter(capacity: 256)
            payload.member("aps", raw: aps.finish())
            return payload.finish()
        case (nil, let file?): return try readInput(file)
        default: throw ValidationError("give either --alert or --payload")
        }
    }

    private func describe(_ outcome: Outcome, of job: Job) -> String {
        var line = String(decoding: job.bytes(job.recipients[outcome.recipient].token), as: UTF8.self)
        line += " \(outcome.verdict)"
        if outcome.status != 0 { line += " \(outcome.status)" }
        if let reason = outcome.reason { line += " \(reason)" }
        if let id = outcome.providerID { line += " apns-id \(id)" }
        return line
    }
}

/// Hands outcomes on one by one.
private final class WaitingSink: OutcomeSink {
    let outcomes: AsyncStream<Outcome>
    private let continuation: AsyncStream<Outcome>.Continuation

    init() {
        (outcomes, continuation) = AsyncStream.makeStream(of: Outcome.self)
    }

    func report(_ outcomes: [Outcome]) {
        for outcome in outcomes { continuation.yield(outcome) }
    }
}
