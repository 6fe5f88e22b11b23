import Foundations
import Foundation
import NIOCore
import PushModel
import PushTestSupport
import Testing
import WebPushOutput
import WireTestSupport

/// The requests that arrive at a push service.
@Suite struct MessageTests {
    private func exchange(
        _ payload: String = #"{"title":"Hi"}"#, _ members: String...,
        check: (ScriptedServer.Request, Browser, [Outcome], Sending) throws -> Void
    ) async throws {
        try await ScriptedServer.with(answer: { _ in
            .init(status: 201, fields: ["location": "https://push.example.net/m/17"])
        }) { server in
            let origin = Endpoint(host: "localhost", port: server.port)
            let sending = try Sending(to: [origin], authorityFile: server.authorityFile)
            let browser = Browser(endpoint: "https://\(origin)/push/a%2Fb?token=x=")
            let recipients = "[\(browser.subscription)]"
            let text = Job.sampleText(recipients: recipients, payload: payload, members)
            let outcomes = await sending.send(RoutedJob(try Job.read(text), credential: sending.credential))
            try check(try #require(server.requests.first), browser, outcomes, sending)
            await sending.output.shutDown()
        }
    }

    @Test func sendsMessageThatBrowserCanDecrypt() async throws {
        try await exchange { request, browser, outcomes, sending in
            #expect(request.line == "POST /push/a%2Fb?token=x=")
            #expect(try browser.read(request.bytes) == #"{"title":"Hi"}"#)
            #expect(request.fields["ttl"] == "2419200")
            #expect(request.fields["content-encoding"] == "aes128gcm")
            #expect(request.fields["content-type"] == "application/octet-stream")
            #expect(request.fields["urgency"] == nil && request.fields["topic"] == nil)
            #expect(request.fields["crypto-key"] == nil && request.fields["encryption"] == nil)
            #expect(request.fields["authorization"]?.hasSuffix(", k=\(sending.publicKey)") == true)
            let outcome = try #require(outcomes.first)
            #expect(outcome.verdict == .sent && outcome.status == 201 && outcome.judge == .provider)
            #expect(outcome.providerID?.description == "https://push.example.net/m/17")
        }
    }

    @Test func mapsJobFieldsToHeaders() async throws {
        try await exchange(
            #""plain \"text\" \u00e9""#, #""priority":10"#, #""collapse_id":"order""#, #""expires_at":0"#
        ) {
            request, browser, _, _ in
            let text = try browser.read(request.bytes)
            #expect(text == #"plain "text" é"#)
            #expect(request.fields["urgency"] == "high")
            #expect(request.fields["topic"]?.utf8.count == 32)
            #expect(request.fields["ttl"] == "0")
        }
    }

    /// An unpaired surrogate is not Unicode text, and a browser would receive U+FFFD instead.
    @Test(arguments: [#""\ud800""#, #""x\udbffy""#, #""\udc00""#, #""\ud83d\n""#, #""\ude00\ud83d""#])
    func rejectsTextPayloadWithUnpairedSurrogate(payload: String) throws {
        let subscription = Browser(endpoint: "https://push.example.com/1").subscription
        let own = "\(subscription.dropLast()),\"payload\":\(payload)}"
        for (recipient, jobPayload, field) in [
            (subscription, payload, "payload"), (own, #""Hi""#, "recipients[0].payload"),
        ] {
            let rejection = try #require(throws: JobRejection.self) {
                try Job.read(Job.sampleText(recipients: "[\(recipient)]", payload: jobPayload))
            }
            #expect(rejection.description == "\(field): has an unpaired surrogate, which is not valid Unicode")
        }
    }

    @Test(arguments: [
        (#""\ud83d\ude00 \u0041""#, "\u{1F600} A"), (#"{"title":"\ud800"}"#, #"{"title":"\ud800"}"#),
    ])
    func sendsEscapesAsPublished(payload: String, message: String) async throws {
        try await exchange(payload) { request, browser, _, _ in
            let text = try browser.read(request.bytes)
            #expect(text == message)
        }
    }

    @Test func sendsContentTypeOfDeclarativeMessage() async throws {
        try await exchange(#"{"web_push":8030,"notification":{"title":"Hi"}}"#, #""push_type":"declarative""#) {
            request, _, _, _ in
            #expect(request.fields["content-type"] == "application/notification+json")
        }
    }

    @Test func sendsEmptyPayloadWithoutBody() async throws {
        try await exchange(#""""#) { request, _, outcomes, _ in
            #expect(request.bytes.isEmpty)
            #expect(request.fields["content-encoding"] == nil && request.fields["content-type"] == nil)
            #expect(outcomes.map(\.verdict) == [.sent])
        }
    }

    @Test func sendsOverHTTP1() async throws {
        try await HTTP1Server.with(react: { _ in .send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n") }) {
            server in
            let file = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString).pem").path
            try #require(server.authorityPEM).write(toFile: file, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(atPath: file) }
            let origin = Endpoint(host: "localhost", port: try #require(try server.address.port))
            let sending = try Sending(to: [origin], authorityFile: file)
            let browsers = (0..<40).map { Browser(endpoint: "https://\(origin)/push/\($0)") }
            let outcomes = await sending.send(try sending.job(browsers))
            #expect(outcomes.map(\.verdict) == Array(repeating: .sent, count: 40))
            for request in server.requests {
                let browser = try #require(
                    browsers.first { request.line == "POST \($0.endpoint.dropFirst("https://\(origin)".count))" })
                #expect(try browser.read(request.body) == #"{"title":"Hi"}"#)
            }
            #expect(server.requests.count == 40)
            await sending.output.shutDown()
        }
    }

    @Test func encryptsEachMessageWithNewKeyPairAndSalt() async throws {
        try await ScriptedServer.with(answer: { _ in .init(status: 201) }) { server in
            let origin = Endpoint(host: "localhost", port: server.port)
            let sending = try Sending(to: [origin], authorityFile: server.authorityFile)
            let browser = Browser(endpoint: "https://\(origin)/push/1")
            let outcomes = await sending.send(try sending.job(Array(repeating: browser, count: 500)))
            #expect(Set(outcomes.map(\.recipient)) == Set(0..<500))
            #expect(outcomes.allSatisfy { $0.verdict == .sent })
            #expect(Set(server.requests.map { $0.bytes[..<16] }).count == 500)
            #expect(Set(server.requests.map { $0.bytes[21..<86] }).count == 500)
            #expect(Set(server.requests.map { $0.fields["authorization"] }).count == 1, "one token per origin")
            await sending.output.shutDown()
        }
    }
}
