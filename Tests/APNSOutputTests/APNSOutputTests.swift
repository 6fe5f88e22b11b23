import Foundations
import APNSOutput
import Crypto
import HTTP2Pool
import Logging
import NIOPosix
import PushModel
import PushTestSupport
import Store
import TestSupport
import Testing

/// The output as a whole, in cases that need no APNs server.
@Suite struct APNSOutputTests {
    private static let now = Timestamp(seconds: 1_795_168_800)
    private let credential = Self.credential(pem: P256.Signing.PrivateKey().pemRepresentation)

    private static func credential(pem: String) -> Credential {
        Credential(
            id: "1", kind: .token(keyID: "ABC123DEFG", privateKeyPEM: Secret(pem.utf8)), account: "TEAM123456",
            environments: [.production])
    }

    private func output(port: Int = 1) -> APNSSender {
        let start = ContinuousClock.now
        return APNSSender(
            configuration: APNSConfiguration(
                production: .init(host: "127.0.0.1", port: port), connectTimeoutSeconds: 1),
            tokens: LocalTokenStore(clock: { Self.now }), eventLoops: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            // The clock advances, because the output uses it to abandon connections that get no answer.
            clock: {
                let passed = (ContinuousClock.now - start).components
                return Timestamp(
                    milliseconds: Self.now.milliseconds + passed.seconds * 1000
                        + passed.attoseconds / 1_000_000_000_000_000)
            })
    }

    @Test func holdsPushesWhileConnectingFails() async throws {
        let refusing = try RefusingPort()
        let output = output(port: refusing.port)
        let recorder = OutcomeRecorder()
        let job = RoutedJob(try Job.sample(recipients: #"["aa","bb"]"#), credential: credential)
        output.send(job, reportingTo: recorder)
        await recorder.wait(for: 2)
        #expect(recorder.outcomes.map(\.verdict) == [.hold, .hold], "no attempt was made")
        #expect(recorder.outcomes.allSatisfy { ["ConnectionFailed", "NoProviderToken"].contains($0.reason) })
        await output.shutDown()
    }

    @Test(arguments: [
        (#""push_type":"wallet""#, "InvalidPushType"), (#""topic":"ä""#, "BadTopic"),
        (#""push_type":"background","priority":10"#, "BadPriority"),
    ])
    func rejectsEachRecipientOfInvalidRequest(member: String, reason: String) throws {
        let recorder = OutcomeRecorder()
        let job = RoutedJob(try Job.sample(recipients: #"["aa","bb"]"#, member), credential: credential)
        output().send(job, reportingTo: recorder)
        #expect(recorder.outcomes.map(\.verdict) == [.rejected, .rejected])
        #expect(recorder.outcomes.map(\.recipient) == [0, 1])
        #expect(recorder.outcomes.allSatisfy { $0.reason == reason && $0.judge == .martlet && $0.status == 0 })
    }

    @Test(arguments: [
        (#"{"alert":"x"}"#, "the job has no push_type, and the payload has no aps"),
        (#"{"aps":{"category":"x"}}"#, "the job has no push_type, and the payload's aps does not imply one"),
    ])
    func explainsWhyPushTypeCannotBeInferred(payload: String, detail: String) throws {
        let recorder = OutcomeRecorder()
        let job = try Job.read(#"{"app":"com.example.shop","payload":\#(payload),"recipients":["aa"]}"#)
        output().send(RoutedJob(job, credential: credential), reportingTo: recorder)
        #expect(recorder.outcomes.map(\.reason) == ["InvalidPushType"])
        #expect(recorder.outcomes.map(\.detail) == [detail])
    }

    @Test func holdsJobsOfUnusableCredential() throws {
        for credential in [Self.credential(pem: "not a key"), nil] {
            let recorder = OutcomeRecorder()
            output().send(RoutedJob(try Job.sample(), credential: credential), reportingTo: recorder)
            #expect(recorder.outcomes.map(\.verdict) == [.hold])
            #expect(recorder.outcomes.map(\.reason) == ["CredentialUnusable"])
        }
    }

    @Test func expiresJobWithoutConnecting() throws {
        let recorder = OutcomeRecorder()
        output().send(RoutedJob(try Job.sample(#""expires_at":1"#), credential: credential), reportingTo: recorder)
        #expect(recorder.outcomes.map(\.verdict) == [.expired])
    }

    @Test(arguments: [
        ("", "com.example.shop"), (#""push_type":"voip""#, "com.example.shop.voip"),
        (#""push_type":"wallet""#, "com.example.shop"), (#""push_type":"voip","topic":"t""#, "t"),
    ])
    func addsSuffixToTopicForRouting(member: String, topic: String) throws {
        let members = member.isEmpty ? [] : [member]
        #expect(try APNSCredentials().need(of: Job.read(Job.sampleText(members))).topic == topic)
    }

    @Test func routesBroadcastByApp() throws {
        let job = #"{"app":"com.example.shop","channel":"Y2g=","push_type":"liveactivity","payload":{}}"#
        #expect(try APNSCredentials().need(of: Job.read(job)).topic == "com.example.shop")
    }

    @Test func requiresKeyOnlyForLocationPushes() throws {
        for type in APNSPushType.allCases {
            let job = try Job.read(Job.sampleText([#""push_type":"\#(type.rawValue)""#]))
            #expect(APNSCredentials().need(of: job).refusesCertificates == (type == .location), "\(type)")
        }
        #expect(!APNSCredentials().need(of: try Job.sample()).refusesCertificates)
    }
}
