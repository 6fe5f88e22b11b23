import APNSOutput
import APNSSimulator
import Foundation
import PushModel
import PushTestSupport
import Testing

/// The requests that arrive at APNs for each push type, header rule and size limit, with cases on both sides of each
/// limit. Pushes that APNs would reject are not sent, and are rejected with the reason that APNs would give.
@Suite struct RequestTableTests {
    static let app = "com.example.shop"
    static let far = 4_000_000_000

    struct Row: CustomTestStringConvertible, Sendable {
        let members: [String]
        var token = "c0ffee"
        var payload = #"{"aps":{"alert":"Hi"}}"#
        /// The expected verdict and reason.
        var outcome = "sent -"
        /// The exact header fields that arrive, empty to skip the comparison, or `nil` if no request arrives.
        var fields: [String: String]?

        /// Creates a row whose push arrives with these header fields.
        init(_ members: String..., fields: [String: String]) {
            self.members = members
            self.fields = fields
        }

        /// Creates a row whose push is rejected before it is sent.
        init(_ members: String..., refused reason: String) {
            self.members = members
            outcome = "rejected \(reason)"
        }

        func with(_ change: (inout Self) -> Void) -> Self {
            var row = self
            change(&row)
            return row
        }

        var testDescription: String { "\(members.joined(separator: ",")) \(token.prefix(12)) \(payload.utf8.count)" }
    }

    private static func fields(
        _ type: String, _ suffix: String = "", priority: Int = 10, and more: [String: String] = [:]
    ) -> [String: String] {
        ["apns-push-type": type, "apns-topic": app + suffix, "apns-priority": "\(priority)"].merging(more) { $1 }
    }

    private static let alert = fields("alert")

    static let types = [
        Row(#""push_type":"alert""#, fields: alert),
        Row(#""push_type":"background""#, fields: fields("background", priority: 5)),
        Row(#""push_type":"complication""#, fields: fields("complication", ".complication")),
        Row(#""push_type":"controls""#, fields: fields("controls", ".push-type.controls")),
        Row(#""push_type":"fileprovider""#, fields: fields("fileprovider", ".pushkit.fileprovider")),
        Row(#""push_type":"liveactivity""#, fields: fields("liveactivity", ".push-type.liveactivity")),
        Row(#""push_type":"location""#, fields: fields("location", ".location-query")),
        Row(#""push_type":"mdm""#, fields: fields("mdm")),
        Row(#""push_type":"pushtotalk""#, fields: fields("pushtotalk", ".voip-ptt", and: ["apns-expiration": "0"])),
        Row(#""push_type":"voip""#, fields: fields("voip", ".voip")),
        Row(#""push_type":"widgets""#, fields: fields("widgets", ".push-type.widgets", priority: 5)),
        Row(#""push_type":"surprise""#, refused: "InvalidPushType"),
    ]

    static let headers = [
        Row(fields: alert),
        Row(#""priority":10"#, fields: fields("alert", priority: 10)),
        Row(#""priority":5"#, fields: fields("alert", priority: 5)),
        Row(#""priority":1"#, fields: fields("alert", priority: 1)),
        Row(#""push_type":"background","priority":5"#, fields: fields("background", priority: 5)),
        Row(#""push_type":"background","priority":10"#, refused: "BadPriority"),
        Row(
            #""push_type":"liveactivity","priority":5"#,
            fields: fields("liveactivity", ".push-type.liveactivity", priority: 5)),
        Row(#""push_type":"liveactivity","priority":1"#, refused: "BadPriority"),
        Row(#""push_type":"pushtotalk","priority":5"#, refused: "BadPriority"),
        Row(#""expires_at":0"#, fields: fields("alert", and: ["apns-expiration": "0"])),
        Row(#""expires_at":\#(far)"#, fields: fields("alert", and: ["apns-expiration": "\(far)"])),
        Row(#""expires_at":1"#, fields: [:]).with {
            $0.outcome = "expired -"
            $0.fields = nil
        },
        Row(#""push_type":"pushtotalk","expires_at":\#(far)"#, refused: "BadExpirationDate"),
        Row(#""topic":"com.example.other""#, fields: fields("alert", and: ["apns-topic": "com.example.other"])),
        Row(#""topic":"com.example.shop","push_type":"voip""#, refused: "BadTopic"),
        Row(#""topic":"with space""#, refused: "BadTopic"),
        collapse(String(repeating: "c", count: 63)), collapse(String(repeating: "c", count: 64)),
        collapse(String(repeating: "é", count: 32)),
        Row(#""collapse_id":"a\u0007b""#, refused: "BadCollapseId"),
    ]

    private static func collapse(_ id: String) -> Row {
        Row(#""collapse_id":"\#(id)""#, fields: fields("alert", and: ["apns-collapse-id": id]))
    }

    static let tokens: [Row] =
        [2, 4, 64, 108, 160, 510, 512].map { length in
            Row(fields: alert).with { $0.token = String(repeating: "ab", count: length / 2) }
        }
        + ["a", "abc", "xyz0", "12g4", String(repeating: "ab", count: 257)].map { token in
            Row(refused: "BadDeviceToken").with { $0.token = token }
        }

    static let payloads: [Row] =
        [("", 4_096), (#""push_type":"voip""#, 5_120), (#""push_type":"liveactivity""#, 4_096)].flatMap { type, limit in
            [limit - 1, limit, limit + 1].map { size in
                Row(type, fields: [:]).with {
                    $0.payload = payload(bytes: size)
                    if size > limit {
                        $0.outcome = "rejected PayloadTooLarge"
                        $0.fields = nil
                    }
                }
            }
        }

    private static func payload(bytes: Int) -> String {
        let frame = #"{"aps":{"alert":"é😀"}}"#
        return #"{"aps":{"alert":"é😀\#(String(repeating: "x", count: bytes - frame.utf8.count))"}}"#
    }

    @Test(arguments: types) func sendsHeaderFieldsOfPushType(row: Row) async throws { try await check(row) }
    @Test(arguments: headers) func appliesHeaderRules(row: Row) async throws { try await check(row) }
    @Test(arguments: tokens) func sendsOnlyValidDeviceTokens(row: Row) async throws { try await check(row) }
    @Test(arguments: payloads) func enforcesPayloadLimits(row: Row) async throws { try await check(row) }

    @Test(arguments: [("<c0ff ee>", "c0ffee"), ("C0FFEE", "c0ffee"), ("c0 ff ee 00", "c0ffee00")])
    func normalizesFormattedTokens(token: String, arriving: String) async throws {
        try await check(
            Row(fields: Self.alert).with { $0.token = token }, arriving: arriving)
    }

    /// The outcome depends on the topics in the certificate.
    @Test(
        arguments: [
            ("alert", [] as [String], "sent -", 1), ("voip", [], "sent -", 1), ("complication", [], "sent -", 1),
            ("fileprovider", [], "hold TopicDisallowed", 1), ("location", [], "rejected TopicDisallowed", 0),
            ("alert", [app], "sent -", 1), ("voip", [app], "hold TopicDisallowed", 1),
        ])
    func handlesPushTypesWithCertificate(type: String, topics: [String], outcome: String, arrivals: Int) async throws {
        let simulator = try await WireFixture.startedSimulator()
        let issued = try simulator.certificateAuthority.issueClientCertificate(app: Self.app, topics: topics)
        let fixture = try WireFixture(simulator, certificate: issued)
        #expect(try await fixture.push("c0ffee", #""push_type":"\#(type)""#) == outcome)
        #expect(await simulator.counters().arrivals == arrivals)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test(arguments: [SimulatorConfiguration.Environment.production, .sandbox])
    func holdsPushWithCertificateOfOtherEnvironment(environment: SimulatorConfiguration.Environment) async throws {
        let simulator = try await WireFixture.startedSimulator { $0.environment = environment }
        let issued = try simulator.certificateAuthority.issueClientCertificate(
            app: Self.app, environments: [.production])
        let fixture = try WireFixture(simulator, certificate: issued)
        let isRight = environment == .production
        #expect(try await fixture.push() == (isRight ? "sent -" : "hold BadCertificateEnvironment"))
        await fixture.output.shutDown()
        await simulator.stop()
    }

    /// The TLS handshake fails, so APNs cannot answer with a reason.
    @Test func holdsPushesOfExpiredCertificate() async throws {
        let simulator = try await WireFixture.startedSimulator()
        let issued = try simulator.certificateAuthority.issueClientCertificate(
            app: Self.app,
            validity: .init(notBefore: Date(timeIntervalSinceNow: -7_200), notAfter: Date(timeIntervalSinceNow: -3_600))
        )
        let fixture = try WireFixture(simulator, certificate: issued) { $0.maximumConnections = 1 }
        #expect(try await fixture.push() == "hold BadCertificate")
        // If the connection is reset before the client reads the alert, it connects again.
        let failed = await simulator.counters().failedHandshakes
        #expect(failed > 0)
        #expect(try await fixture.push() == "hold BadCertificate")
        #expect(await simulator.counters().failedHandshakes == failed, "the second push must not connect")
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func trimsPayloadCloselyToLimit() async throws {
        let simulator = try await WireFixture.startedSimulator()
        let fixture = try WireFixture(simulator)
        try fixture.register(at: simulator)
        try fixture.send(
            try Job.read(Job.sampleText(payload: Self.payload(bytes: 5_000), [#""trim":true"#])))
        await fixture.recorder.wait(for: 1)
        #expect(fixture.tally == ["sent": 1])
        let arrived = try #require(simulator.recordedRequests.first).payload
        #expect(arrived.utf8.count <= 4_096 && arrived.utf8.count > 4_050)
        #expect(fixture.recorder.outcomes.first?.trimmedBytes == 5_000 - arrived.utf8.count)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    private func check(_ row: Row, arriving: String? = nil) async throws {
        let simulator = try await WireFixture.startedSimulator()
        let fixture = try WireFixture(simulator)
        try fixture.register(at: simulator)
        let members = row.members.filter { !$0.isEmpty }
        try fixture.send(
            try Job.read(Job.sampleText(recipients: "[\"\(row.token)\"]", payload: row.payload, members)))
        await fixture.recorder.wait(for: 1)
        let outcome = try #require(fixture.recorder.outcomes.first)
        #expect("\(outcome.verdict) \(outcome.reason ?? "-")" == row.outcome)
        #expect(outcome.judge == (outcome.verdict == .sent ? .provider : .martlet))
        let requests = simulator.recordedRequests
        if let fields = row.fields {
            let request = try #require(requests.first)
            #expect(requests.count == 1)
            #expect(request.token == arriving ?? row.token)
            #expect(request.payload == row.payload, "the payload must arrive byte for byte")
            if !fields.isEmpty { #expect(request.fields == fields) }
        } else {
            #expect(requests.isEmpty)
        }
        await fixture.output.shutDown()
        await simulator.stop()
    }
}
