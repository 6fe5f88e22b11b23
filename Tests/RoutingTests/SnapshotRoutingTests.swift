import PushModel
import Testing
import Routing
import RoutingTestSupport

@Suite struct SnapshotRoutingTests {
    private let now = Timestamp(seconds: 1_800_000_000)
    private let past = Timestamp(seconds: 1_700_000_000)
    private let future = Timestamp(seconds: 1_900_000_000)
    private let app = App(bundleID: "com.example.shop", accounts: ["apns": AppAccount("TEAM000001")])

    private func route(
        _ credentials: [SnapshotCredential], app: App? = nil, environment: PushEnvironment? = nil,
        topic: String = "com.example.shop", needsToken: Bool = false, named: String? = nil
    ) -> Result<String, RoutingFailure> {
        Snapshot(apps: [app ?? self.app], credentials: credentials)
            .route(
                app: "com.example.shop", environment: environment, topic: topic, needsToken: needsToken,
                named: named, at: now
            )
            .map(\.credential.id)
    }

    private let teamKey = SnapshotCredential.opened(.sample("team key", .token))
    private let topicKey = SnapshotCredential.opened(.sample("topic key", .token, topics: ["com.example.shop"]))
    private let certificate = SnapshotCredential.opened(
        .sample("certificate", .certificate, topics: ["com.example.shop", "com.example.shop.voip"]))

    // MARK: order of preference

    @Test func prefersMostSpecificCredential() {
        #expect(route([teamKey]) == .success("team key"))
        #expect(route([teamKey, topicKey]) == .success("topic key"))
        #expect(route([teamKey, topicKey, certificate]) == .success("certificate"))
        var explicit = app
        explicit.accounts["apns"]?.credential = "team key"
        #expect(route([teamKey, topicKey, certificate], app: explicit) == .success("team key"))
    }

    @Test func usesCertificateOnlyForListedTopics() {
        #expect(route([teamKey, certificate], topic: "com.example.shop.voip") == .success("certificate"))
        #expect(route([teamKey, certificate], topic: "com.example.shop.complication") == .success("team key"))
    }

    @Test func topicKeyCoversSuffixedTopics() {
        #expect(route([teamKey, topicKey], topic: "com.example.shop.voip") == .success("topic key"))
        #expect(route([teamKey, topicKey], topic: "com.example.shopping") == .success("team key"))
    }

    @Test func requiresMatchingEnvironment() {
        let sandboxKey = SnapshotCredential.opened(
            .sample("sandbox", .token, environments: [.sandbox], topics: ["com.example.shop"]))
        #expect(route([teamKey, sandboxKey]) == .success("team key"))
        #expect(route([teamKey, sandboxKey], environment: .sandbox) == .success("sandbox"))
        var sandboxApp = app
        sandboxApp.defaultEnvironment = .sandbox
        #expect(route([teamKey, sandboxKey], app: sandboxApp) == .success("sandbox"))
        #expect(route([teamKey, sandboxKey], app: sandboxApp, environment: .production) == .success("team key"))
    }

    @Test func requiresMatchingTeam() {
        let foreign = SnapshotCredential.opened(
            .sample("foreign", .certificate, team: "TEAM000002", topics: ["com.example.shop"]))
        #expect(route([teamKey, foreign]) == .success("team key"))
    }

    @Test func skipsCertificatesIfPushTypeNeedsKey() {
        #expect(route([teamKey, certificate], needsToken: true) == .success("team key"))
        #expect(
            route([certificate], needsToken: true)
                == .failure(
                    .noCredential(
                        explanation:
                            "team TEAM000001 of app com.example.shop has no credential for topic com.example.shop in production"
                    )))
        var explicit = app
        explicit.accounts["apns"]?.credential = "certificate"
        #expect(
            route([certificate, teamKey], app: explicit, needsToken: true)
                == .failure(
                    .credentialUnusable(
                        explanation:
                            "credential certificate (sample) is a certificate, and this push type needs a key, and app com.example.shop names it"
                    )))
    }

    @Test func usesExplicitCertificateOnlyForListedTopics() {
        var explicit = app
        explicit.accounts["apns"]?.credential = "certificate"
        #expect(
            route([certificate, teamKey], app: explicit, topic: "com.example.shop.voip") == .success("certificate"))
        guard
            case .failure(.credentialUnusable(let explanation)) = route(
                [certificate, teamKey], app: explicit, topic: "com.example.shop.push-type.widgets")
        else {
            Issue.record("routing must reject a topic that the explicit certificate lacks")
            return
        }
        #expect(explanation.contains("is not for topic com.example.shop.push-type.widgets"))
    }

    // MARK: named by the job

    @Test func prefersCredentialNamedByJob() {
        let all = [teamKey, topicKey, certificate]
        #expect(route(all, named: "team key") == .success("team key"))
        var explicit = app
        explicit.accounts["apns"]?.credential = "topic key"
        #expect(route(all, app: explicit, named: "team key") == .success("team key"))
    }

    @Test func rejectsUnsuitableCredentialNamedByJob() {
        let foreign = SnapshotCredential.opened(.sample("foreign", .token, team: "TEAM000002"))
        let sandbox = SnapshotCredential.opened(.sample("sandbox", .token, environments: [.sandbox]))
        let other = SnapshotCredential.opened(.sample("other", .token, topics: ["com.example.other"]))
        let all = [teamKey, foreign, sandbox, other, certificate]
        func problem(_ named: String, needsToken: Bool = false) -> String? {
            if case .failure(.unsuitable(let explanation)) = route(all, needsToken: needsToken, named: named) {
                explanation
            } else {
                nil
            }
        }
        #expect(problem("foreign") == "foreign is of another team")
        #expect(problem("sandbox") == "sandbox is not for production")
        #expect(problem("other") == "other is not for topic com.example.shop")
        #expect(problem("gone") == "gone is not a credential in use")
        #expect(
            problem("certificate", needsToken: true)
                == "certificate is a certificate, and this push type needs a key")
        #expect(problem("team key") == nil)
    }

    /// The job waits, because the credential's state may change, or may differ in other workers.
    @Test func waitsForUnusableCredentialNamedByJob() {
        let expired = SnapshotCredential.opened(.sample("expired", .token, notAfter: past))
        guard case .failure(.credentialUnusable) = route([expired, teamKey], named: "expired") else {
            Issue.record("routing must wait for the credential that the job names")
            return
        }
    }

    @Test func usesNewestCredential() {
        let old = SnapshotCredential.opened(.sample("old", .token, createdAt: 1))
        let new = SnapshotCredential.opened(.sample("new", .token, createdAt: 2))
        #expect(route([old, new]) == .success("new"))
        #expect(route([new, old]) == .success("new"))
    }

    @Test func skipsUnusableCredentials() {
        let topics: Set = ["com.example.shop"]
        for unusable in [
            SnapshotCredential.opened(.sample("expired", .certificate, topics: topics, notAfter: past)),
            .opened(.sample("expired now", .certificate, topics: topics, notAfter: now)),
            .opened(.sample("early", .certificate, topics: topics, notBefore: future)),
            .opened(.sample("retired", .certificate, topics: topics, state: .retired)),
            .unopened(.sample("sealed", .certificate, topics: topics), "sealed under master key old"),
        ] {
            #expect(route([unusable, teamKey]) == .success("team key"), "\(unusable.summary.id)")
        }
        let valid = SnapshotCredential.opened(
            .sample("valid", .certificate, topics: topics, notBefore: past, notAfter: future))
        #expect(route([valid, teamKey]) == .success("valid"))
    }

    // MARK: failures

    @Test func reportsUnknownOrPausedApp() {
        let snapshot = Snapshot(apps: [app], credentials: [teamKey])
        let unknown = snapshot.route(app: "com.example.other", environment: nil, topic: "x", at: now)
        #expect(unknown == .failure(.unknownApp("com.example.other")))
        var paused = app
        paused.isPaused = true
        #expect(route([teamKey], app: paused) == .failure(.paused("com.example.shop")))
    }

    @Test func reportsMissingCredential() {
        #expect(
            route([])
                == .failure(
                    .noCredential(
                        explanation:
                            "team TEAM000001 of app com.example.shop has no credential for topic com.example.shop in production"
                    )))
    }

    @Test func explainsWhyCredentialIsUnusable() {
        func explanation(_ credential: SnapshotCredential, app: App? = nil) -> String {
            guard case .failure(.credentialUnusable(let explanation)) = route([credential], app: app) else { return "" }
            return explanation
        }
        #expect(
            explanation(.opened(.sample("1", .certificate, topics: ["com.example.shop"], notAfter: past)))
                == "credential 1 (sample) expired on 2023-11-14T22:13:20.000Z")
        #expect(
            explanation(.unopened(.sample("1", .token), "sealed under master key old")) == "sealed under master key old"
        )
        var explicit = app
        explicit.accounts["apns"]?.credential = "1"
        #expect(explanation(teamKey, app: explicit).contains("is retired"))
        #expect(
            explanation(.opened(.sample("1", .token, environments: [.sandbox])), app: explicit)
                .contains("is not for production"))
        #expect(
            explanation(.opened(.sample("1", .certificate, topics: ["com.example.other"])), app: explicit)
                .contains("is not for topic com.example.shop"))
    }

    @Test func waitsForUnusableExplicitCredential() {
        var explicit = app
        explicit.accounts["apns"]?.credential = "expired"
        let expired = SnapshotCredential.opened(.sample("expired", .token, notAfter: past))
        guard case .failure(.credentialUnusable) = route([expired, teamKey], app: explicit) else {
            Issue.record("routing must wait for the explicit credential")
            return
        }
    }
}
