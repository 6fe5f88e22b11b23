import Foundation
import Logging
import PushModel
import Store
import TestSupport
import Foundations
import WebhookOutput
import WireTestSupport

/// The webhook receiver of all apps.
final class WebhookService: Service {
    let output = OutputKind.webhook
    /// No port, because all workers use the same URL and have no link to the receiver.
    let port: UInt16? = nil
    /// An empty certificate, because the receiver uses HTTP without TLS.
    let authorityPEM = ""
    private let receiver: BatchReceiver
    /// The port of the receiver.
    private let address: Int
    /// The server, or `nil` while the receiver is down.
    private let server: Mutex<HTTP1Server?>

    init(_ log: RunLog) async throws {
        let receiver = BatchReceiver(log)
        self.receiver = receiver
        for _ in 0..<100 {
            // The port is below the kernel's range for outgoing connections. Otherwise, a connection could take it
            // while the receiver is down.
            let port = Int.random(in: 10_000..<20_000)
            guard let server = try? await Self.listen(on: port, receiver) else { continue }
            address = port
            self.server = Mutex(server)
            return
        }
        throw Failure(description: "no free port for a receiver")
    }

    private static func listen(on port: Int, _ receiver: BatchReceiver) async throws -> HTTP1Server {
        try await HTTP1Server(nil, port: port) { receiver.take($0) }
    }

    func settings(port: UInt16, authority: URL, _ profile: Profile) -> [String: String] {
        [
            "webhook.private_hosts": "localhost:\(address)",
            "webhook.request_timeout": "\(profile.requestTimeoutSeconds)",
        ]
    }

    func account(of app: Workload.AppPlan) -> String { app.name }

    /// Creates a credential with a new secret. The receiver still accepts the old secrets.
    func newCredential(of app: Workload.AppPlan) throws -> NewCredential {
        let key = (0..<32).map { _ in UInt8.random(in: 0...255) }
        receiver.trust(key)
        let json =
            "{\"url\":\"http://localhost:\(address)/\(app.name)\",\"secrets\":[\"whsec_\(Data(key).base64EncodedString())\"]}"
        var details = CredentialDetails()
        details.account = account(of: app)
        let file = CredentialFile(name: "\(app.name).json", contents: Secret(json.utf8))
        return try WebhookCredentials(output: output.rawValue).read([file], details, now: .now)
    }

    func carryOut(_ fault: ServiceFault, for time: Duration) async throws {
        switch fault {
        case .cut: server.withLock { $0 }?.closeConnections()
        case .down:
            try await server.withLock { $0.take() }?.stop()
            try? await Task.sleep(for: time)
            let again = try await Self.listen(on: address, receiver)
            server.withLock { $0 = again }
        case .next(let count, _): receiver.set(fault, batches: count)
        default:
            try await during(time) {
                receiver.set(fault)
            } _: {
                receiver.set(nil)
            }
        }
    }

    func stop() async { try? await server.withLock { $0.take() }?.stop() }
}
