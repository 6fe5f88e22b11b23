import Foundation
import Store
import TestSupport
import TestTraits
import Testing
import Foundations
import WireTestSupport

/// `martlet channel` with a server that answers as Apple's documentation on channel management describes.
@Suite(.needsServers)
struct ChannelCommandTests {
    private static let app = "com.example.sport"
    private static let id = "dHN0LXNyY2gtY2hubA=="

    /// Returns the server's answer to a request. The server creates, shows and deletes only the channel `id`.
    private static func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Answer {
        switch request.line {
        case "POST /1/apps/\(app)/channels":
            ScriptedServer.Answer(status: 201, fields: ["apns-channel-id": id, "apns-request-id": "1"])
        case "GET /1/apps/\(app)/all-channels":
            ScriptedServer.Answer(status: 200, body: #"{"channels":["\#(id)","b3RoZXI="]}"#)
        case "GET /1/apps/\(app)/channels" where request.fields["apns-channel-id"] == id:
            ScriptedServer.Answer(status: 200, body: #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
        case "DELETE /1/apps/\(app)/channels" where request.fields["apns-channel-id"] == id:
            ScriptedServer.Answer(status: 204)
        case "GET /1/apps/\(app)/channels", "DELETE /1/apps/\(app)/channels": .reason(400, "ChannelNotRegistered")
        default: .reason(404, "BadPath")
        }
    }

    private func with(
        answer: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Answer? = answer,
        _ body: (ScriptedServer, ([String]) async throws -> Subprocess.Finished) async throws -> Void
    ) async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await ScriptedServer.with(answer: answer) { server in
                try await body(server) { arguments in
                    try await installation.martlet(
                        ["channel"] + arguments + ["--app", Self.app],
                        [
                            "apns.endpoint.channels.production": "127.0.0.1:\(server.port)",
                            "apns.ca_file": try installation.write(server.authorityPEM, to: "channels.pem"),
                            "apns.request_timeout": "20",
                        ])
                }
            }
        }
    }

    @Test func createsListsShowsAndDeletesChannel() async throws {
        try await with { server, channel in
            let made = try await channel(["create", "--storage", "most-recent"])
            #expect(made.status == 0 && made.output == "\(Self.id)\n", "\(made)")
            let request = try #require(server.requests.last)
            #expect(request.body == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
            #expect(request.fields["authorization"]?.hasPrefix("bearer ey") == true)
            #expect(request.fields["apns-topic"] == nil)

            let asJSON = try await channel(["create", "--storage", "none", "--json"])
            #expect(asJSON.output.contains(#""channel" : "\#(Self.id)""#), "\(asJSON)")
            #expect(asJSON.output.contains(#""storage" : "none""#), "\(asJSON)")
            #expect(server.requests.last?.body == #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#)

            let listed = try await channel(["list"])
            #expect(listed.status == 0 && listed.output == "\(Self.id)\nb3RoZXI=\n", "\(listed)")

            let shown = try await channel(["show", Self.id])
            #expect(shown.status == 0 && shown.output.contains(#""storage" : "most-recent""#), "\(shown)")

            let deleted = try await channel(["delete", Self.id])
            #expect(deleted.status == 0 && deleted.output.contains("deleted channel \(Self.id)"), "\(deleted)")
            #expect(server.requests.last?.line == "DELETE /1/apps/\(Self.app)/channels")

            let unknown = try await channel(["show", "bm9uZQ=="])
            #expect(unknown.status == 1)
            #expect(unknown.errors.contains("400 ChannelNotRegistered (there is no such channel"), "\(unknown)")
        }
    }

    @Test func reportsRefusalsAndInvalidAnswers() async throws {
        let answers = Mutex<[ScriptedServer.Answer?]>([
            .reason(400, "FeatureNotEnabled"), .init(status: 201), .init(status: 500), nil,
        ])
        try await with(answer: { _ in answers.withLock { $0.removeFirst() } }) { _, channel in
            for expected in [
                "400 FeatureNotEnabled (enable the broadcast capability", "without an apns-channel-id",
                "APNs refused: 500", "did not answer in time",
            ] {
                let failed = try await channel(["create", "--storage", "none"])
                #expect(failed.status == 1 && failed.errors.contains(expected), "\(expected): \(failed)")
            }
        }
    }

    @Test func reportsUnknownAppAndUnreachableServer() async throws {
        try await Installation.with { installation in
            let unknown = try await installation.martlet(["channel", "list", "--app", "org.example.other"])
            #expect(unknown.status == 1 && unknown.errors.contains("there is no app org.example.other"), "\(unknown)")
            try await installation.addTokenApp(Self.app)
            let port = try freePort()
            let away = try await installation.martlet(
                ["channel", "list", "--app", Self.app], ["apns.endpoint.channels.production": "127.0.0.1:\(port)"])
            #expect(away.status == 1 && away.errors.contains("no connection to APNs"), "\(away)")
        }
    }
}
