import Foundation
import Logging
import PushModel

/// The services of all outputs.
struct Services: Sendable {
    let apns: APNSService
    private let webPush: WebPushService
    let all: [any Service]

    static func start(_ log: RunLog, _ logger: Logger) async throws -> Services {
        let apns = try await APNSService(log, logger)
        let webPush = try await WebPushService(log, logger)
        return Services(
            apns: apns, webPush: webPush,
            all: [apns, try await FCMService(log, logger), webPush, try await WebhookService(log)])
    }

    subscript(output: OutputKind) -> (any Service)? { all.first { $0.output == output } }

    var subscribe: Subscribe { { [webPush] in webPush.subscribe($0, $1, app: $2) } }

    /// Creates a worker's links to all services that have links.
    func links() throws -> [Fault.Link: WorkerLink] {
        var links: [Fault.Link: WorkerLink] = [:]
        for service in all {
            guard let link = Fault.Link(rawValue: service.output.rawValue), let port = service.port else { continue }
            links[link] = try WorkerLink(to: [port])
        }
        return links
    }

    /// Returns a worker's settings for all services.
    func settings(_ links: [Fault.Link: WorkerLink], folder: URL, _ profile: Profile) -> [String: String] {
        all.reduce(into: [:]) { settings, service in
            let link = Fault.Link(rawValue: service.output.rawValue).flatMap { links[$0] }
            settings.merge(
                service.settings(
                    port: link?.ports.first ?? 0, authority: authority(of: service, folder), profile)
            ) { $1 }
        }
    }

    /// Writes the certificates that workers must trust.
    func writeAuthorities(to folder: URL) throws {
        for service in all { try PrivateFile.write(try service.authorityPEM, to: authority(of: service, folder)) }
    }

    private func authority(of service: any Service, _ folder: URL) -> URL {
        folder.appending(path: "\(service.output.rawValue).pem")
    }

    func stop() async { for service in all { await service.stop() } }
}
