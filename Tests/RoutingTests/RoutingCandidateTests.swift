import PushModel
import TestSupport
import Testing
import Routing
import RoutingTestSupport

/// The candidates that routing lists for a job.
@Suite struct RoutingCandidateTests {
    private static let now = Timestamp(seconds: 1_800_000_000)
    private static let topics = ["com.example.shop", "com.example.shop.voip", "com.example.other"]

    @Test func listsCandidatesInOrderWithObstacles() throws {
        let past = Timestamp(seconds: 1_700_000_000)
        let snapshot = Snapshot(
            apps: [App(bundleID: "com.example.shop", accounts: ["apns": AppAccount("TEAM000001")])],
            credentials: [
                .opened(.sample("team key", .token, createdAt: 1)),
                .opened(.sample("new team key", .token, createdAt: 2)),
                .opened(
                    .sample(
                        "app key", .token, topics: ["com.example.shop"], notBefore: Timestamp(seconds: 1_900_000_000))),
                .opened(.sample("certificate", .certificate, topics: ["com.example.shop.voip"], notAfter: past)),
                .opened(.sample("other", .certificate, topics: ["com.example.shop"])),
                .opened(.sample("foreign", .token, team: "TEAM000002")),
                .unopened(.sample("sealed", .token, topics: ["com.example.shop.voip"]), "no master key"),
                .opened(.sample("sandbox", .token, environments: [.sandbox])),
            ])
        let found = try #require(
            snapshot.candidates(
                app: "com.example.shop", environment: .production, topic: "com.example.shop.voip", at: Self.now))
        #expect(
            found.map {
                "\($0.credential.id): \($0.rank.map { "\($0)" } ?? "-"), \($0.obstacle?.text(accountName: "team") ?? "serves")"
            }
                == [
                    "certificate: certificate, expired on 2023-11-14T22:13:20.000Z",
                    "sealed: topicKey, cannot be opened: no master key",
                    "app key: appKey, is not valid before 2030-03-17T17:46:40.000Z",
                    "new team key: accountKey, serves", "team key: accountKey, serves",
                    "sandbox: accountKey, is not for production",
                    "other: -, is not for topic com.example.shop.voip",
                ])
        #expect(snapshot.candidates(app: "com.example.gone", environment: nil, topic: "x", at: Self.now) == nil)
    }

    /// For any set of credentials, the first candidate without an obstacle is the credential that routing uses.
    @Test(arguments: 0..<500)
    func listsRoutedCredentialAsFirstUsable(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        func pick<T>(_ choices: [T], using generator: inout SplitMix64) -> T {
            choices[Int.random(in: choices.indices, using: &generator)]
        }
        let credentials = (0..<Int.random(in: 0...12, using: &generator)).map { index -> SnapshotCredential in
            let isToken = Bool.random(using: &generator)
            let summary = CredentialSummary.sample(
                "\(index)", isToken ? .token : .certificate,
                team: pick(["TEAM000001", "TEAM000001", "TEAM000002"], using: &generator),
                environments: pick([[.production], [.sandbox], [.production, .sandbox]], using: &generator),
                topics: isToken && Bool.random(using: &generator)
                    ? [] : Set((0...1).map { _ in pick(Self.topics, using: &generator) }),
                notBefore: pick([nil, nil, Timestamp(seconds: 1_900_000_000)], using: &generator),
                notAfter: pick([nil, nil, Timestamp(seconds: 1_700_000_000)], using: &generator),
                state: pick([.active, .active, .active, .retired], using: &generator),
                createdAt: Int64.random(in: 0...3, using: &generator))
            return Int.random(in: 0..<6, using: &generator) == 0 ? .unopened(summary, "sealed") : .opened(summary)
        }
        var app = App(bundleID: "com.example.shop", accounts: ["apns": AppAccount("TEAM000001")])
        if Int.random(in: 0..<4, using: &generator) == 0 {
            app.accounts["apns"]?.credential = "\(Int.random(in: 0..<13, using: &generator))"
        }
        let named = Int.random(in: 0..<4, using: &generator) == 0 ? "\(Int.random(in: 0..<13, using: &generator))" : nil
        let environment: PushEnvironment? = pick([nil, .production, .sandbox], using: &generator)
        let topic = pick(Self.topics, using: &generator), needsToken = Bool.random(using: &generator)
        let snapshot = Snapshot(apps: [app], credentials: credentials)
        let candidates = try #require(
            snapshot.candidates(
                app: "com.example.shop", environment: environment, topic: topic, needsToken: needsToken, named: named,
                at: Self.now))
        let route = snapshot.route(
            app: "com.example.shop", environment: environment, topic: topic, needsToken: needsToken, named: named,
            at: Self.now)
        #expect(candidates.first { $0.obstacle == nil }?.credential.id == (try? route.get().credential.id))
        #expect(Set(candidates.map(\.credential.id)).count == candidates.count, "no candidate may be listed twice")
    }
}
