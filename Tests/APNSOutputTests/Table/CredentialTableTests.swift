import APNSOutput
import APNSSimulator
import PushModel
import PushTestSupport
import Testing

/// Each push type with each kind of credential, and with each priority (Apple: "Sending notification requests to
/// APNs").
@Suite struct CredentialTableTests {
    private static let app = "com.example.shop"

    enum Kind: CaseIterable {
        /// A token key of the team.
        case token
        /// A certificate as Apple issues it for an app, with the topics of the app, VoIP and complications.
        case appCertificate
        /// A certificate that lists the topics of all push types.
        case wideCertificate
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let type: String
        let suffix: String
        let priorities: Set<Int>
        /// The expected verdict and reason with each kind of certificate.
        let withApp: String
        let withWide: String

        init(
            _ type: String, _ suffix: String, _ priorities: Set<Int> = [1, 5, 10], app: String = "sent -",
            wide: String = "sent -"
        ) {
            (self.type, self.suffix, self.priorities) = (type, suffix, priorities)
            (withApp, withWide) = (app, wide)
        }

        var testDescription: String { type }

        func outcome(_ kind: Kind) -> String {
            switch kind {
            case .token: "sent -"
            case .appCertificate: withApp
            case .wideCertificate: withWide
            }
        }
    }

    private static let refused = "hold TopicDisallowed"

    static let rows = [
        Row("alert", ""), Row("background", "", [5]), Row("mdm", ""), Row("voip", ".voip"),
        Row("complication", ".complication"), Row("controls", ".push-type.controls", app: refused),
        Row("fileprovider", ".pushkit.fileprovider", app: refused),
        Row("liveactivity", ".push-type.liveactivity", [5, 10], app: refused),
        // The output rejects this push without sending it, because Apple accepts no certificate for location pushes.
        Row(
            "location", ".location-query", app: "rejected TopicDisallowed", wide: "rejected TopicDisallowed"),
        Row("pushtotalk", ".voip-ptt", [10], app: refused), Row("widgets", ".push-type.widgets", app: refused),
    ]

    @Test(arguments: rows, Kind.allCases) func handlesTypeWithEachKindOfCredential(row: Row, kind: Kind) async throws {
        let simulator = try await WireFixture.startedSimulator()
        let topics: [String]? =
            switch kind {
            case .token: nil
            case .appCertificate: []
            case .wideCertificate: Array(Set(Self.rows.map { Self.app + $0.suffix })).sorted()
            }
        let certificate = try topics.map {
            try simulator.certificateAuthority.issueClientCertificate(app: Self.app, topics: $0)
        }
        let fixture = try WireFixture(simulator, certificate: certificate)
        try fixture.register(at: simulator)
        let expected = row.outcome(kind)
        #expect(try await fixture.push("c0ffee", #""push_type":"\#(row.type)""#) == expected)
        let arrivals = simulator.recordedRequests.map { $0.fields["apns-topic"] }
        #expect(arrivals == (expected.hasPrefix("rejected") ? [] : [Self.app + row.suffix]))
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test(arguments: rows) func acceptsOnlyPrioritiesOfPushType(row: Row) async throws {
        let simulator = try await WireFixture.startedSimulator()
        let fixture = try WireFixture(simulator)
        try fixture.register(at: simulator)
        for priority in [1, 5, 10] {
            let isAllowed = row.priorities.contains(priority)
            let outcome = try await fixture.push(
                "c0ffee", #""push_type":"\#(row.type)""#, #""priority":\#(priority)"#)
            #expect(outcome == (isAllowed ? "sent -" : "rejected BadPriority"), "priority \(priority)")
        }
        let arrived = simulator.recordedRequests.compactMap { $0.fields["apns-priority"] }
        #expect(arrived == row.priorities.sorted().map(String.init))
        await fixture.output.shutDown()
        await simulator.stop()
    }
}
