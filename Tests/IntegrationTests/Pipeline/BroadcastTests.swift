import APNSSimulator
import Foundation
import TestSupport
import TestTraits
import Testing
import Foundations
import WireTestSupport

/// Broadcast jobs that a worker sends to a server which answers as Apple's documentation on broadcasts describes.
@Suite(.needsServers)
struct BroadcastTests {
    private static let app = "com.example.sport"
    private static let requestID = "eabeae54-14a8-11e5-b60b-1697f925ec7b"

    private static func job(_ id: String, channel: String, event: String = "update") -> String {
        """
        {"id":"\(id)","app":"\(app)","channel":"\(channel)",
         "payload":{"aps":{"timestamp":1795169400,"event":"\(event)","content-state":{"score":"1:0"}}}}
        """
    }

    @Test func sendsAndRetriesBroadcastsAndReportsOutcomes() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let failures = Mutex(1)
            let server: @Sendable (ScriptedServer.Request) -> ScriptedServer.Answer = { request in
                switch request.fields["apns-channel-id"] {
                case "Z29uZQ==": .reason(400, "ChannelNotRegistered")
                case "b2xk": .reason(410, "Unregistered")
                case "cmV0cnk="
                where failures.withLock({
                    $0 -= 1; return $0
                }) == 0: .reason(503, "ServiceUnavailable")
                default: .init(status: 200, fields: ["apns-request-id": Self.requestID.uppercased()])
                }
            }
            try await ScriptedServer.with(answer: server) { server in
                let authorities = try installation.simulator.caCertificatePEM + "\n" + server.authorityPEM
                let changes = [
                    "apns.endpoint.broadcast.production": "127.0.0.1:\(server.port)",
                    "apns.ca_file": try installation.write(authorities, to: "both.pem"),
                ]
                let device = JobText("device", app: Self.app, to: [Token.random()])
                try await installation.withWorker(changes) { worker in
                    try await installation.eventuallyConsumes(worker)
                    let published = try await installation.martlet(
                        ["job", "publish"], input: Self.job("good", channel: "Z29vZA=="))
                    #expect(published.output.contains("good for a channel"), "\(published)")
                    try await installation.publish(
                        raw: [
                            Self.job("gone", channel: "Z29uZQ=="), Self.job("old", channel: "b2xk"),
                            Self.job("retry", channel: "cmV0cnk="),
                            Self.job("start", channel: "Z29vZA==", event: "start"), device.json,
                        ])
                    try await installation.results.wait(for: 6)
                }
                let entries = installation.results.entries
                func verdict(_ job: String, _ channel: String) -> [String] {
                    (entries[Addressee(job: job, token: channel)] ?? []).map { $0.verdict.description }
                }
                #expect(verdict("good", "Z29vZA==") == ["sent"])
                #expect(verdict("gone", "Z29uZQ==") == ["rejected ChannelNotRegistered by apns"])
                #expect(verdict("old", "b2xk") == ["rejected Unregistered by apns"], "a channel is no device token")
                #expect(verdict("retry", "cmV0cnk=") == ["sent"])
                #expect(verdict("start", "Z29vZA==") == ["rejected BadRequestPayload by martlet"])
                let good = try #require(entries[Addressee(job: "good", token: "Z29vZA==")]?.first?.outcome)
                #expect(good.apns_id == Self.requestID)
                #expect(entries[Addressee(job: "retry", token: "cmV0cnk=")]?.first?.outcome.attempts == 2)
                #expect(entries.count == 6, "five broadcasts and a device push have outcomes: \(entries.keys)")

                #expect(server.requests.count == 5)
                let request = try #require(server.requests.first { $0.fields["apns-channel-id"] == "Z29vZA==" })
                #expect(request.line == "POST /4/broadcasts/apps/\(Self.app)")
                #expect(request.fields["apns-push-type"] == "liveactivity")
                #expect(request.fields["apns-expiration"] == "0" && request.fields["apns-priority"] == "10")
                #expect(request.fields["apns-topic"] == nil)
                #expect(request.body.hasPrefix(#"{"aps":{"timestamp":1795169400,"#))
                #expect(installation.simulator.recordedRequests.count == 1, "the simulator gets the device push")
            }
            #expect(try await installation.markedTokens(of: Self.app) == [])
        }
    }
}
