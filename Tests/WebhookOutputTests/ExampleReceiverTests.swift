import Foundation
import PushModel
import TestSupport
import Testing
import WebhookOutput

/// The example receiver of the documentation.
@Suite struct ExampleReceiverTests {
    private static let file = Project.root.appending(path: "examples/webhook-receiver/receiver.py")

    /// - Parameter deliver: a Python statement to insert at the start of the receiver's function `deliver`.
    private func start(secrets: String, deliver: String = "pass") async throws -> (process: Subprocess, port: Int) {
        let head = "def deliver(token, payload):\n"
        let script = try String(contentsOf: Self.file, encoding: .utf8)
        #expect(script.contains(head))
        let process = try Subprocess(
            ["/usr/bin/python3", "-B", "-c", script.replacing(head, with: "\(head)    \(deliver)\n"), "0"],
            environment: ["WEBHOOK_SECRETS": secrets])
        try await eventually("the receiver listens\n\(process.output)\(process.errors)") {
            process.output.contains(/listening on port \d+\n/)
        }
        let port = try #require(process.output.firstMatch(of: /on port (\d+)/).flatMap { Int($0.1) })
        return (process, port)
    }

    @Test func deliversEachMessageOnce() async throws {
        let (process, port) = try await start(secrets: "\(WebhookSecret.random().text) \(WebhookFixture.secret)")
        let fixture = try WebhookFixture(url: "http://localhost:\(port)/in")
        let recipients = (0..<250).map { "r\($0)" } + ["gone-1"]
        for _ in 1...2 {
            let outcomes = try await fixture.send(recipients)
            #expect(outcomes.dropLast().allSatisfy { $0.verdict == .sent && $0.providerID != nil })
            #expect(outcomes.last?.line == "unregistered 200 NoSuchNumber provider")
        }
        try await eventually("all messages are delivered") { process.output.split(separator: "\n").count >= 251 }
        #expect(process.output.split(separator: "\n").count == 251, "one line per message and one with the port")
        #expect(process.output.contains(#"r7 {"text": "Hi"}"#))
        await fixture.output.shutDown()
        process.signal(9)
    }

    /// Two apps may use the same job id, and two users may share a token.
    @Test func deliversMessagesThatAreNotDuplicates() async throws {
        let (process, port) = try await start(secrets: WebhookFixture.secret)
        let fixture = try WebhookFixture(url: "http://localhost:\(port)/in")
        let users = [#"{"token":"a","ref":"1"}"#, #"{"token":"a","ref":"2"}"#, #"{"token":"a","payload":{"n":1}}"#]
        for app in ["com.example.shop", "com.example.other"] {
            #expect(try await fixture.send(users, app: app).map(\.verdict) == [.sent, .sent, .sent])
        }
        #expect(try await fixture.send(["a"], payload: #"{"text":"Bye"}"#).map(\.verdict) == [.sent])
        #expect(
            process.output.split(separator: "\n").dropFirst().map(String.init) == [
                #"a {"text": "Hi"}"#, #"a {"text": "Hi"}"#, #"a {"n": 1}"#, #"a {"text": "Hi"}"#, #"a {"text": "Hi"}"#,
                #"a {"n": 1}"#, #"a {"text": "Bye"}"#,
            ])
        await fixture.output.shutDown()
        process.signal(9)
    }

    @Test(arguments: ["retry", "failed", "unknown"]) func retriesOutcomesThatAreNotFinal(kind: String) async throws {
        let (process, port) = try await start(
            secrets: WebhookFixture.secret,
            deliver: "if not SETTLED.setdefault('n', 0): SETTLED['n'] = 1; return {'kind': '\(kind)'}")
        let fixture = try WebhookFixture(url: "http://localhost:\(port)/in")
        #expect(try await fixture.send(["a"]).map { "\($0.verdict)" } == [kind])
        #expect(try await fixture.send(["a"]).map(\.verdict) == [.sent])
        await fixture.output.shutDown()
        process.signal(9)
    }

    /// The same batch arrives again while the first one is being processed.
    @Test func deliversConcurrentDuplicatesOnce() async throws {
        let (process, port) = try await start(secrets: WebhookFixture.secret, deliver: "time.sleep(0.3)")
        let fixtures = try (0..<3).map { _ in try WebhookFixture(url: "http://localhost:\(port)/in") }
        try await withThrowingTaskGroup { group in
            for fixture in fixtures { group.addTask { try await fixture.send(["a"]).map(\.verdict) } }
            for try await verdicts in group { #expect(verdicts == [.sent]) }
        }
        #expect(process.output.split(separator: "\n").count == 2, "\(process.output)")
        for fixture in fixtures { await fixture.output.shutDown() }
        process.signal(9)
    }

    @Test func refusesUnknownSecret() async throws {
        let (process, port) = try await start(secrets: WebhookSecret.random().text)
        let fixture = try WebhookFixture(url: "http://localhost:\(port)/in")
        #expect(try await fixture.send(["a"]).map(\.line) == ["retry 401 Status401 provider"])
        await fixture.output.shutDown()
        process.signal(9)
    }

    @Test func reportsUnknownIfDeliveryRaises() async throws {
        let (process, port) = try await start(secrets: WebhookFixture.secret, deliver: "raise OSError('no route')")
        let fixture = try WebhookFixture(url: "http://localhost:\(port)/in")
        #expect(try await fixture.send(["a"]).map(\.line) == ["unknown 200 OSError provider"])
        #expect(process.errors.contains("OSError: no route"))
        await fixture.output.shutDown()
        process.signal(9)
    }

    /// The requests lack a valid signature, a usable length or a batch.
    @Test func refusesHostileRequests() async throws {
        let driver = Project.root.appending(path: "Tests/WebhookOutputTests/Clients/hostile.py")
        let ended = try await Subprocess.run(["/usr/bin/python3", "-B", driver.path, Self.file.path])
        #expect(ended.status == 0 && ended.output.hasSuffix(" requests, 0 wrong\n"), "\(ended)")
    }

    @Test func hasFewerThan70Lines() throws {
        #expect(try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n").count < 70)
    }
}
