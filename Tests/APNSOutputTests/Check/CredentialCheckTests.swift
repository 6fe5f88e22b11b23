import Foundations
import APNSOutput
import APNSSimulator
import Crypto
import NIOCore
import NIOPosix
import NIOSSL
import PushModel
import Store
import Testing

/// Credential checks against a simulator in the place of APNs.
@Suite struct CredentialCheckTests {
    private static let app = "com.example.shop"
    private let key = P256.Signing.PrivateKey()
    private let tokens = LocalTokenStore(clock: { .now })

    private func key(topics: Set<String> = [], team: String = "TEAM123456") -> Credential {
        Credential(
            id: "key", kind: .token(keyID: "ABC123DEFG", privateKeyPEM: Secret(key.pemRepresentation.utf8)),
            account: team,
            environments: [.production, .sandbox], topics: topics)
    }

    private func certificate(_ issued: CertificateAuthority.Issued) throws -> Credential {
        var details = CredentialDetails()
        details.account = "TEAM123456"
        let pem = issued.certificatePEM + "\n" + issued.privateKeyPEM + "\n"
        let new = try APNSCredentials().read(
            [CredentialFile(name: "push.pem", contents: Secret(pem.utf8))], details, now: .now)
        return Credential(
            id: "certificate", kind: new.kind, account: new.account, environments: new.environments, topics: new.topics)
    }

    private func withSimulator(
        _ change: (inout SimulatorConfiguration) -> Void = { _ in }, scope: TokenKey.Scope = .init(),
        _ body: (SimulatedAPNS, APNSCredentialCheck) async throws -> Void
    ) async throws {
        let simulator = try await WireFixture.startedSimulator(change)
        var registered = TokenKey(team: "TEAM123456", keyID: "ABC123DEFG", publicKey: key.publicKey)
        registered.scope = scope
        simulator.register(registered)
        try await body(simulator, try check(port: simulator.port))
        await simulator.stop()
    }

    private func check(port: Int, requestTimeoutSeconds: Int = 30) throws -> APNSCredentialCheck {
        let endpoint = Endpoint(host: "127.0.0.1", port: port)
        return APNSCredentialCheck(
            configuration: APNSConfiguration(
                production: endpoint, sandbox: endpoint, verifiesCertificates: false,
                requestTimeoutSeconds: requestTimeoutSeconds, connectTimeoutSeconds: 30),
            tokens: tokens, eventLoop: MultiThreadedEventLoopGroup.singleton.next())
    }

    @Test func acceptsValidCredentialWithoutPushing() async throws {
        try await withSimulator { simulator, check in
            let authenticated = "authenticated; nothing was sent"
            #expect(
                await check.run(key(), in: .production)
                    == CredentialFinding(
                        advising: .accepted("\(authenticated) (MissingTopic for a token that no device has)")))
            #expect(
                await check.run(key(), in: .production, topic: Self.app)
                    == CredentialFinding(
                        advising: .accepted("\(authenticated) (BadDeviceToken for a token that no device has)")))
            let issued = try simulator.certificateAuthority.issueClientCertificate(app: Self.app)
            #expect(
                await check.run(try certificate(issued), in: .production)
                    == CredentialFinding(
                        advising: .accepted("\(authenticated) (BadDeviceToken for a token that no device has)")))
            let counters = await simulator.counters()
            #expect(counters.byStatus == [400: 3])
            #expect(simulator.tokenUses.count == 1, "all checks of the key must use one provider token")
        }
    }

    @Test func sendsBackgroundPushToGivenDevice() async throws {
        try await withSimulator { simulator, check in
            guard
                case .accepted(let how) = await check.run(key(), in: .production, device: "c0ffee", topic: Self.app)
                    .result
            else {
                Issue.record("APNs did not accept the push to the device")
                return
            }
            #expect(how.hasPrefix("APNs accepted the push, apns-id "))
            let dead = await check.run(key(), in: .production, device: "dead0410", topic: Self.app)
            #expect(dead == CredentialFinding(advising: .refused(status: 410, reason: "Unregistered")))
            #expect(dead.advice == "the credential was accepted, but the device token is dead")
            let zeros = await check.run(
                key(), in: .production, device: String(repeating: "0", count: 64), topic: Self.app)
            #expect(
                zeros == CredentialFinding(advising: .refused(status: 400, reason: "BadDeviceToken")),
                "BadDeviceToken for a given device token is a refusal")
            for topic in [Self.app + ".voip", Self.app + ".push-type.liveactivity", Self.app + ".voip-ptt"] {
                guard case .accepted = await check.run(key(), in: .production, device: "c0ffee", topic: topic).result
                else {
                    Issue.record("APNs did not accept the push to topic \(topic)")
                    return
                }
            }
        }
    }

    @Test func reportsAPNsReasonForRefusedCredential() async throws {
        try await withSimulator { simulator, check in
            simulator.refuse(keyID: "ABC123DEFG")
            let revoked = await check.run(key(), in: .production)
            #expect(revoked == CredentialFinding(advising: .refused(status: 403, reason: "InvalidProviderToken")))
            #expect(revoked.advice?.contains("or the key was revoked") == true)
            simulator.refuse(keyID: "ABC123DEFG", nil)
            var other = key(team: "TEAM999999")
            other = Credential(id: "other", kind: other.kind, account: other.account, environments: other.environments)
            #expect(
                await check.run(other, in: .production)
                    == CredentialFinding(advising: .refused(status: 403, reason: "InvalidProviderToken")))
            let broken = Credential(
                id: "broken", kind: .token(keyID: "ABC123DEFG", privateKeyPEM: Secret([1])), account: "TEAM123456",
                environments: [.production])
            guard case .unusable = await check.run(broken, in: .production).result else {
                Issue.record("the check used an unreadable private key")
                return
            }
        }
    }

    @Test func triesScopedKeyWithTopicInScope() async throws {
        let scope = TokenKey.Scope(environments: [.production], topics: [Self.app])
        try await withSimulator(scope: scope) { _, check in
            guard case .accepted = await check.run(key(topics: [Self.app, Self.app + ".voip"]), in: .production).result
            else {
                Issue.record("the check did not use the key's shortest topic")
                return
            }
            #expect(
                await check.run(key(topics: ["com.example.other"]), in: .production)
                    == CredentialFinding(advising: .refused(status: 400, reason: "TopicDisallowed")))
        }
        try await withSimulator({ $0.environment = .sandbox }, scope: scope) { _, check in
            let elsewhere = await check.run(key(), in: .sandbox)
            #expect(elsewhere == CredentialFinding(advising: .refused(status: 403, reason: "BadEnvironmentKeyInToken")))
            #expect(elsewhere.advice?.contains("--environment") == true)
        }
    }

    @Test func reportsCertificateRefusedByAnswerOrInHandshake() async throws {
        try await withSimulator({ $0.environment = .sandbox }) { simulator, check in
            let elsewhere = try certificate(
                simulator.certificateAuthority.issueClientCertificate(app: Self.app, environments: [.production]))
            #expect(
                await check.run(elsewhere, in: .sandbox)
                    == CredentialFinding(advising: .refused(status: 403, reason: "BadCertificateEnvironment")))
            let stranger = try certificate(CertificateAuthority().issueClientCertificate(app: Self.app))
            let refused = await check.run(stranger, in: .sandbox)
            guard case .refused(nil, let reason) = refused.result else {
                Issue.record("expected a refusal in the handshake, got \(refused)")
                return
            }
            #expect(reason.hasPrefix("in the TLS handshake"))
            #expect(refused.advice?.contains("import a new one") == true)
        }
    }

    @Test func reportsUnreachableHostWithoutJudgingCredential() async throws {
        try await withSimulator { simulator, _ in
            let check = try check(port: simulator.port, requestTimeoutSeconds: 1)
            var faults = StandingFaults()
            faults.silence = .answers
            await simulator.setFaults(faults)
            #expect(
                await check.run(key(), in: .production)
                    == CredentialFinding(advising: .unreachable("APNs did not answer in time")))
            await simulator.stop()
            let away = await check.run(key(), in: .production)
            guard case .unreachable = away.result else {
                Issue.record("expected an unreachable host, got \(away)")
                return
            }
            #expect(away.advice?.contains("the credential was not tested") == true)
        }
    }
}
