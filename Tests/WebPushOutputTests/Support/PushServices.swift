import Foundations
import Foundation
import Logging
import NIOCore
import PushModel
import PushTestSupport
import WebPushOutput
import WebPushSimulator

/// A simulator of all four services under their real host names, and an output that sends to it.
final class PushServices: Sendable {
    static let hosts: [Persona: String] = [
        .apple: "web.push.apple.com", .mozilla: "updates.push.services.mozilla.com", .google: "fcm.googleapis.com",
        .microsoft: "wns2-am3p.notify.windows.com",
    ]

    let simulator: SimulatedWebPush
    let sending: Sending
    private let authorityFile: String

    static func with(
        _ change: (inout WebPushSimulatorConfiguration) -> Void = { _ in },
        _ body: (PushServices) async throws -> Void
    ) async throws {
        let services = try await PushServices(change)
        do {
            try await body(services)
        } catch {
            await services.stop()
            throw error
        }
        await services.stop()
    }

    private init(_ change: (inout WebPushSimulatorConfiguration) -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString).pem").path
        var configuration = WebPushSimulatorConfiguration()
        configuration.controlPort = nil
        configuration.hostnames = Array(Self.hosts.values)
        change(&configuration)
        let simulator = try SimulatedWebPush(
            configuration: configuration, logger: Logger(label: "simulator") { _ in SwiftLogNoOpLogHandler() })
        try await simulator.start()
        simulator.isRecording = true
        try simulator.caCertificatePEM.write(toFile: file, atomically: true, encoding: .utf8)
        self.simulator = simulator
        sending = try Sending(
            to: Self.hosts.values.map { Endpoint(host: $0, port: 443) }, authorityFile: file
        ) { configuration in
            // The timeout is longer than any wait of a test.
            configuration.requestTimeoutSeconds = 120
            configuration.resolve = { host, _ in
                guard let persona = Self.hosts.first(where: { $0.value == host })?.key else { return [] }
                return [try SocketAddress(ipAddress: "127.0.0.1", port: simulator.port(of: persona))]
            }
        }
        authorityFile = file
    }

    private func stop() async {
        await sending.output.shutDown()
        await simulator.stop()
        try? FileManager.default.removeItem(atPath: authorityFile)
    }

    /// Returns a new recipient in the form in which a web page submits it.
    ///
    /// - Parameter key: the VAPID key of the subscription, or `nil` for the output's own key.
    func recipient(
        of persona: Persona, key: String? = nil, state: SimulatedWebPush.SubscriptionState = .good
    ) throws -> String {
        let subscription = try simulator.subscribe(persona, key: key ?? sending.publicKey, state: state)
        let path = subscription.endpoint.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
        let endpoint = "https://\(Self.hosts[persona] ?? "")\(path)"
        return """
            {"subscription":{"endpoint":"\(endpoint)",\
            "keys":{"p256dh":"\(subscription.keys.p256dh)","auth":"\(subscription.keys.auth)"}}}
            """
    }

    /// - Parameter credential: the credential to send with, or `nil` for the output's own.
    func send(
        _ recipients: [String], payload: String = #"{"title":"Hi"}"#, with credential: Credential? = nil,
        _ members: String...
    ) async throws -> [Outcome] {
        let text = Job.sampleText(
            recipients: "[\(recipients.joined(separator: ","))]", payload: payload, members)
        return await sending.send(RoutedJob(try Job.read(text), credential: credential ?? sending.credential))
    }

    func answer(_ answer: PlannedWebPushAnswer?) async {
        var faults = SimulatedWebPush.StandingFaults()
        faults.answer = answer
        await simulator.setFaults(faults)
    }
}
