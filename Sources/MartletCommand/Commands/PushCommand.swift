import ArgumentParser
import CommandSupport
import Foundation
import Logging
import MartletConfiguration
import Observability
import PushModel
import Store

struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Send a push directly to the provider, without broker and database, to test a credential.",
        discussion: """
            A recipient is a device token, or a JSON object as in a job: '{"topic": "news"}'. The account's option \
            selects the output.

            The provider's address comes from the configuration, so --set can direct the command to a simulator.
            """)

    @Argument(help: "Device tokens or JSON objects.")
    var recipients: [String]

    @Option(help: "The app's name.")
    var app: String

    @Option(
        name: .customLong("credential"),
        help: ArgumentHelp(
            "The credential's file, as for 'credential import'. May be repeated.", valueName: "file"),
        completion: .file())
    var files: [String] = []

    @OptionGroup var output: OutputOption
    @OptionGroup var credential: CredentialFileOptions

    @Option(help: "The environment: production or sandbox.")
    var to: PushEnvironment = .production

    @Option(help: "The alert text, instead of a payload.")
    var alert: String?

    @Option(help: "The file with the payload (JSON); '-' reads standard input.", completion: .file())
    var payload: String?

    @Option(help: "The push type, as in a job. Default: derived from the payload.")
    var pushType: String?

    @Flag(help: "Only let the provider check the push, if it supports that.")
    var validateOnly = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let source = try await options.load()
        let plugin = try output.plugin()
        let job = try makeJob(for: plugin)
        let routed = RoutedJob(
            job: job, environment: plugin.environment(of: job, app: to), credential: try readCredential(of: plugin),
            lane: .urgent, attempt: 1, redelivered: false, ledgerID: 0)
        let outputAtWork = try make(plugin, source)
        let sink = WaitingSink()
        outputAtWork.send(routed, reportingTo: sink)
        var failures = 0
        for await outcome in sink.outcomes.prefix(job.recipients.count) {
            print(describe(outcome, of: job, idName: plugin.eventFields.id))
            if outcome.verdict != .sent { failures += 1 }
        }
        await outputAtWork.shutDown()
        if failures > 0 { throw ExitCode.failure }
    }

    private func readCredential(of plugin: any OutputPlugin) throws -> Credential? {
        guard let credentials = plugin.credentials else { return nil }
        guard !files.isEmpty else { throw ValidationError("--credential: is required for \(plugin.name)") }
        let new = try credential.read(files, of: output.account.id, for: credentials)
        return Credential(
            id: "push", output: plugin.name, kind: new.kind, account: new.account, environments: new.environments,
            topics: new.topics)
    }

    private func make(_ plugin: some OutputPlugin, _ source: ConfigurationSource) throws -> any Output {
        try source.withSettings(of: plugin) { settings in
            try plugin.check(settings)
            return try plugin.make(
                OutputContext(
                    settings: settings, tokens: LocalTokenStore(clock: { .now }), clock: { .now },
                    logger: try source.logger("martlet.push", atLeast: .notice)))
        }
    }

    private func makeJob(for plugin: any OutputPlugin) throws -> Job {
        var writer = JSONObjectWriter(capacity: 1024)
        writer.member("app", string: app)
        writer.member("output", string: plugin.name)
        if let pushType { writer.member("push_type", string: pushType) }
        if validateOnly { writer.member("validate_only", raw: Array("true".utf8)) }
        writer.array("recipients") { output in
            for (index, recipient) in recipients.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                if recipient.hasPrefix("{") {
                    output.append(contentsOf: recipient.utf8)
                } else {
                    JSONText.append(recipient, to: &output)
                }
            }
        }
        writer.member("payload", raw: try payloadBytes(for: plugin))
        do throws(JobRejection) {
            let job = try JobDecoder.decode(writer.finish(), makeID: { UUID().uuidString.lowercased() })
            try plugin.jobs.check(job)
            return job
        } catch {
            throw ValidationError(error.description)
        }
    }

    private func payloadBytes(for plugin: any OutputPlugin) throws -> [UInt8] {
        switch (alert, payload) {
        case (let alert?, nil): plugin.payload(showing: alert)
        case (nil, let file?): try readInput(file)
        default: throw ValidationError("pass either --alert or --payload")
        }
    }

    private func describe(_ outcome: Outcome, of job: Job, idName: String) -> String {
        var line = String(decoding: job.bytes(job.recipients[outcome.recipient].token), as: UTF8.self)
        line += " \(outcome.verdict)"
        if outcome.status != 0 { line += " \(outcome.status)" }
        if let reason = outcome.reason { line += " \(reason)" }
        if let id = outcome.providerID { line += " \(idName) \(id)" }
        if let detail = outcome.detail { line += ": \(detail)" }
        return line
    }
}

/// An outcome sink that yields the reported outcomes one by one as a stream.
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
