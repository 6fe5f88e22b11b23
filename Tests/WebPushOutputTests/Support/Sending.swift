import Foundations
import Foundation
import Logging
import NIOPosix
import PushModel
import PushTestSupport
import Store
import TestSupport
import Testing
import WebPushOutput
import WireTestSupport

/// An output with one key that sends to servers of the test.
final class Sending: Sendable {
    private final class Told: Sendable {
        let events = Mutex<[Refusal.Event]>([])
    }

    let output: WebPushSender
    let credential: Credential
    let publicKey: String
    let recorder = OutcomeRecorder()
    private let reported: Told

    var refusals: [Refusal.Event] { reported.events.withLock { $0 } }

    /// - Parameters:
    ///   - origins: the local hosts and ports that messages may go to.
    ///   - authorityFile: the path of the file with the authorities of the servers' certificates.
    ///   - logBook: the recorder of log lines, or `nil` to discard them.
    init(
        to origins: [Endpoint], authorityFile: String?, allowing rules: [String] = [], logBook: LogRecorder? = nil,
        _ change: (inout WebPushConfiguration) -> Void = { _ in }
    ) throws {
        (credential, publicKey) = try Self.credential(id: "vapid-1")
        var configuration = WebPushConfiguration(
            hosts: AllowedHosts(rules.compactMap { AllowedHosts.Rule($0) }, privateHosts: Set(origins)))
        configuration.authorityFile = authorityFile
        configuration.breakMilliseconds = 200
        change(&configuration)
        let reported = Told()
        self.reported = reported
        output = WebPushSender(
            configuration: configuration, eventLoops: MultiThreadedEventLoopGroup.singleton,
            logger: logBook?.logger("test") ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: { .now },
            refusals: { event in reported.events.withLock { $0.append(event) } })
    }

    static func credential(
        id: String, _ key: VAPIDKey = VAPIDKey(subject: "mailto:push@example.com")
    ) throws -> (credential: Credential, publicKey: String) {
        let credential = Credential(
            id: id, kind: .secret(try key.sealed()), account: "shop", environments: [.production])
        return (credential, key.publicKeyText)
    }

    func job(_ browsers: [Browser], payload: String = #"{"title":"Hi"}"#, _ members: String...) throws -> RoutedJob {
        let recipients = "[\(browsers.map(\.subscription).joined(separator: ","))]"
        return RoutedJob(
            try Job.read(Job.sampleText(recipients: recipients, payload: payload, members)), credential: credential)
    }

    /// Sends a job and returns the outcomes of its recipients.
    @discardableResult
    func send(_ job: RoutedJob) async -> [Outcome] {
        let before = recorder.outcomes.count
        output.send(job, reportingTo: recorder)
        await recorder.wait(for: before + job.job.recipients.count)
        return Array(recorder.outcomes[before...])
    }
}

/// Writes the authorities of several servers to one temporary file and returns its path. The file is not removed.
func authorities(_ servers: [ScriptedServer]) throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: "authorities-\(UUID().uuidString).pem").path
    try servers.map(\.authorityPEM).joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    return file
}
