import Foundation
import Logging
import PushModel
import Store
import Foundations
import WebPushOutput
import WebPushSimulator

/// The push services of four browser vendors. Each app keeps its key pair, because subscriptions are bound to the key
/// pair.
final class WebPushService: Service {
    let output = OutputKind.webpush
    /// No port, because all workers use the same endpoints and have no link to the service.
    let port: UInt16? = nil
    let hasNewCredentials = false
    private let simulator: SimulatedWebPush
    /// The ports of the personas. They are also known while the simulator is down.
    private let ports: [Persona: Int]
    /// The VAPID public keys, by the app's bundle id.
    private let publicKeys = Mutex<[String: String]>([:])

    init(_ log: RunLog, _ logger: Logger) async throws {
        simulator = try await .started { port in
            var configuration = WebPushSimulatorConfiguration()
            configuration.port = port
            configuration.otherPorts = [port + 1, port + 2, port + 3]
            configuration.controlPort = nil
            return try SimulatedWebPush(configuration: configuration, logger: logger)
        }
        let started = simulator
        ports = Dictionary(uniqueKeysWithValues: Persona.allCases.map { ($0, started.port(of: $0)) })
        simulator.report(to: log)
        for (persona, pattern) in Persona.allCases.flatMap({ persona in
            SubscriptionPattern.allCases.map { (persona, $0) }
        }) {
            guard let answer = pattern.answer else { continue }
            simulator.setAnswer(
                answer, forToken: origin(of: persona) + persona.path + RecipientID.idStart(of: pattern))
        }
    }

    var authorityPEM: String { get throws { try simulator.caCertificatePEM } }

    private func host(of persona: Persona) -> String { "localhost:\(ports[persona] ?? 0)" }
    private func origin(of persona: Persona) -> String { "https://\(host(of: persona))" }

    func settings(port: UInt16, authority: URL, _ profile: Profile) -> [String: String] {
        [
            "webpush.private_hosts": Persona.allCases.map(host).joined(separator: ","),
            "webpush.ca_file": authority.path, "webpush.request_timeout": "\(profile.requestTimeoutSeconds)",
        ]
    }

    func account(of app: Workload.AppPlan) -> String { app.name }

    func newCredential(of app: Workload.AppPlan) throws -> NewCredential {
        var details = CredentialDetails()
        (details.account, details.subject) = (account(of: app), "mailto:torture@yourdomain.com")
        let new = try WebPushCredentials().create(details, now: .now)
        publicKeys.withLock { $0[app.bundleID] = new.shown.first?.text }
        return new
    }

    /// Returns a subscription as the JSON that a web page would submit, or `nil` if it could not be issued.
    func subscribe(_ recipient: RecipientID, _ kind: RecipientKind, app: String) -> String? {
        let subscription = try? simulator.subscribe(
            recipient.persona, number: recipient.subscriptionNumber(kind), key: publicKeys.withLock { $0[app] },
            state: SubscriptionPattern(kind, recipient.index).state, origin: origin(of: recipient.persona))
        return subscription.flatMap { try? JSONEncoder().encode($0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    func carryOut(_ fault: ServiceFault, for time: Duration) async throws {
        guard try await simulator.carryOut(fault, for: time, answer: PlannedWebPushAnswer.init) else {
            throw cannot(fault)
        }
    }

    func stop() async { await simulator.stop() }
}

extension PlannedWebPushAnswer {
    /// The default `Retry-After`, in seconds. The personas' own defaults are too long for a run.
    private static let shortest = 1

    fileprivate init(_ answer: ServiceAnswer) {
        self =
            switch answer {
            case .tooMany(let seconds):
                // The status is 429, because workers accept a 406 with this meaning only from Microsoft's hosts.
                PlannedWebPushAnswer(.tooManyRequests, status: 429, retryAfter: seconds ?? Self.shortest)
            case .unavailable(let seconds): PlannedWebPushAnswer(.unavailable, retryAfter: seconds ?? Self.shortest)
            case .broken: PlannedWebPushAnswer(.internalError)
            case .mismatch: PlannedWebPushAnswer(.keyMismatch)
            }
    }
}
