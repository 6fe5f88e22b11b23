import APNSOutput
import PushModel
import Store
import Testing

/// Apple's key model at import: the operator states the environments and topics of a key.
@Suite(.enabled(if: OpenSSL.isInstalled, OpenSSL.missing), SampleFiles.Made())
struct KeyScopeImportTests {
    private func read(_ environments: Set<PushEnvironment>?, topics: Set<String> = []) throws -> NewCredential {
        var details = CredentialDetails()
        details.account = "TEAM000001"
        details.environments = environments
        details.topics = topics
        return try APNSCredentials().read(
            [try SampleFiles.made.get().file("AuthKey_ABC123DEFG.p8")], details, now: .now)
    }

    @Test func teamKeyDefaultsToBothEnvironments() throws {
        #expect(try read(nil).environments == [.production, .sandbox])
        #expect(try read([.sandbox]).environments == [.sandbox])
        #expect(throws: CredentialFault("at least one environment is required")) { try read([]) }
    }

    @Test(arguments: [nil, [.production, .sandbox]] as [Set<PushEnvironment>?])
    func requiresOneEnvironmentForKeyWithTopics(environments: Set<PushEnvironment>?) throws {
        #expect(
            throws: CredentialFault("a key that is limited to topics is for one environment: pass --environment")
        ) { try read(environments, topics: ["com.example.shop"]) }
        #expect(try read([.sandbox], topics: ["com.example.shop"]).topics == ["com.example.shop"])
    }

    @Test func limitsKeyTo400Topics() throws {
        let topics = Set((0..<400).map { "com.example.app\($0)" })
        #expect(try read([.production], topics: topics).topics.count == 400)
        #expect(throws: CredentialFault("401 topics: Apple limits a key to 400")) {
            try read([.production], topics: topics.union(["one.more"]))
        }
    }
}
