import Foundations
import PushModel
import PushTestSupport
import Testing
import WebPushOutput
import WireTestSupport

/// A change of a credential's subject with `martlet credential set` while messages are being sent.
@Suite struct ChangedSubjectTests {
    private typealias MakeJob = (Credential, _ name: String) throws -> RoutedJob

    private static let before = "mailto:push@example.com"
    private static let after = "https://example.com/contact"

    /// Returns the claim `sub` of the request's token.
    private func subject(of request: ScriptedServer.Request) throws -> String {
        let token = try #require(request.fields["authorization"]?.dropFirst("vapid t=".count))
        let claims = try #require(Base64URL.bytes(String(token.split(separator: ".")[1])))
        let text = String(decoding: claims, as: UTF8.self)
        return String(try #require(text.firstMatch(of: /"sub":"([^"]*)"/)).1)
    }

    /// Runs a closure with an output and a server that refuses subscriptions named `stale`.
    ///
    /// - Parameter body: a closure. Its last argument creates a job for 40 recipients. The paths of their endpoints
    ///   begin with the given name.
    private func with(_ body: (Sending, ScriptedServer, MakeJob) async throws -> Void) async throws {
        try await ScriptedServer.with(answer: { request in
            .init(status: request.line.contains("stale") ? 403 : 201)
        }) { server in
            let origin = Endpoint(host: "localhost", port: server.port)
            let sending = try Sending(to: [origin], authorityFile: server.authorityFile)
            try await body(sending, server) { credential, name in
                let job = try sending.job((0..<40).map { Browser(endpoint: "https://\(origin)/\(name)/\($0)") }).job
                return RoutedJob(job, credential: credential)
            }
            await sending.output.shutDown()
        }
    }

    private func credentials() throws -> (old: Credential, new: Credential) {
        let key = VAPIDKey(subject: Self.before)
        return (
            try Sending.credential(id: "1", key).credential,
            try Sending.credential(id: "1", key.with(subject: Self.after)).credential
        )
    }

    @Test func signsWithNewSubjectAndFailsNoMessage() async throws {
        try await with { sending, server, job in
            let (old, new) = try credentials()
            sending.output.credentialsChanged(to: [old.id])
            let first = await sending.send(try job(old, "first"))
            #expect(try Set(server.requests.map(subject)) == [Self.before])

            // Some messages are on their way while the subject changes.
            sending.output.send(try job(old, "under-way"), reportingTo: sending.recorder)
            sending.output.credentialsChanged(to: [new.id])
            sending.output.send(try job(new, "changed"), reportingTo: sending.recorder)
            await sending.recorder.wait(for: first.count + 80)
            let last = await sending.send(try job(new, "last"))
            #expect(sending.recorder.outcomes.count == 160 && last.count == 40)
            #expect(sending.recorder.outcomes.allSatisfy { $0.verdict == .sent })
            for name in ["changed", "last"] {
                let requests = server.requests.filter { $0.line.contains("/\(name)/") }
                #expect(try requests.count == 40 && Set(requests.map(subject)) == [Self.after])
            }
        }
    }

    /// The key is the same, so an unexplained refusal still concerns the subscription alone.
    @Test func keepsKeyProvenWhenSubjectChanges() async throws {
        try await with { sending, _, job in
            let (old, new) = try credentials()
            #expect(await sending.send(try job(old, "first")).allSatisfy { $0.verdict == .sent })
            #expect(await sending.send(try job(new, "stale")).allSatisfy { $0.verdict == .rejected })
            #expect(await sending.send(try job(new, "last")).allSatisfy { $0.verdict == .sent })
        }
    }
}
