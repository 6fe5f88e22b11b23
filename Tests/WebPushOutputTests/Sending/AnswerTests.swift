import Foundations
import PushModel
import PushTestSupport
import Store
import TestSupport
import Testing
import WebPushOutput
import WireTestSupport

/// The outcomes of messages for each answer from a service.
@Suite struct AnswerTests {
    @Test(
        arguments: [
            (200, "", Outcome.Verdict.sent, nil), (202, "", .sent, nil), (404, "", .unregistered, "Status404"),
            (410, #"{"errno":106}"#, .unregistered, "Errno106"), (404, #"{"reason":"BadPath"}"#, .rejected, "BadPath"),
            (400, #"{"reason":"VapidPkHashMismatch"}"#, .rejected, "KeyMismatch"), (413, "", .rejected, "Status413"),
            (307, "", .rejected, "Redirected"), (500, "", .retry, "Status500"), (429, "", .retry, "Status429"),
            (507, "", .retry, "Status507"), (403, "", .retry, "Status403"),
            (403, #"{"reason":"BadJwtToken"}"#, .hold, "BadJwtToken"),
        ] as [(Int, String, Outcome.Verdict, String?)])
    func mapsAnswersToVerdicts(status: Int, body: String, verdict: Outcome.Verdict, reason: String?) async throws {
        try await ScriptedServer.with(answer: { _ in .init(status: status, body: body) }) { server in
            let origin = Endpoint(host: "localhost", port: server.port)
            let sending = try Sending(to: [origin], authorityFile: server.authorityFile)
            let before = Timestamp.now
            let outcome = try #require(
                await sending.send(try sending.job([Browser(endpoint: "https://\(origin)/a")])).first)
            #expect(outcome.verdict == verdict)
            #expect(outcome.reason == reason)
            #expect(outcome.status == status && outcome.judge == .provider)
            // Services do not report when a subscription ended, so the time of sending is used.
            #expect((outcome.unregisteredAt != nil) == (verdict == .unregistered))
            if let at = outcome.unregisteredAt { #expect(before <= at && at <= outcome.at) }
            await sending.output.shutDown()
        }
    }

    /// If a service refuses a key, only messages with that key to that service are held.
    @Test func holdsRefusedKeyForOneServiceOnly() async throws {
        let isMended = Atomic(false)
        try await ScriptedServer.with(answer: { _ in
            isMended.load(ordering: .relaxed) ? .init(status: 201) : .reason(403, "BadJwtToken")
        }) { refusing in
            try await ScriptedServer.with(answer: { _ in .init(status: 201) }) { other in
                let origins = [refusing, other].map { Endpoint(host: "localhost", port: $0.port) }
                let sending = try Sending(
                    to: origins, authorityFile: try authorities([refusing, other]))
                let browsers = (0..<200).map { Browser(endpoint: "https://\(origins[$0 % 2])/\($0)") }
                let outcomes = await sending.send(try sending.job(browsers))
                for outcome in outcomes {
                    #expect(outcome.verdict == (outcome.recipient % 2 == 0 ? .hold : .sent))
                    #expect(outcome.reason == (outcome.recipient % 2 == 0 ? "BadJwtToken" : nil))
                }
                let subject = Refusal.Subject(
                    credential: sending.credential.id, environment: .production, topic: origins[0].description)
                #expect(began(sending.refusals) == [subject], "all event loops together report the refusal once")
                isMended.store(true, ordering: .relaxed)
                try await eventually("all are sent; last reason: \(sending.recorder.outcomes.last?.reason ?? "-")") {
                    await sending.send(try sending.job([browsers[0], browsers[2]])).allSatisfy { $0.verdict == .sent }
                }
                try await eventually("the refusal has ended: \(sending.refusals)") {
                    _ = await sending.send(try sending.job([browsers[0], browsers[2]]))
                    return sending.refusals.last == .ended(subject)
                }
                await sending.output.shutDown()
            }
        }
    }

    /// An unexplained refusal concerns the subscription if the service accepts the same key for others.
    @Test func rejectsOnlyForeignSubscriptions() async throws {
        try await ScriptedServer.with(answer: { request in
            .init(status: request.line.contains("foreign") ? 401 : 201)
        }) { server in
            let origin = Endpoint(host: "localhost", port: server.port)
            let sending = try Sending(to: [origin], authorityFile: server.authorityFile)
            await sending.send(try sending.job([Browser(endpoint: "https://\(origin)/first")]))
            let mixed = (0..<100).map {
                Browser(endpoint: "https://\(origin)/\($0 % 10 == 0 ? "foreign" : "own")/\($0)")
            }
            let outcomes = await sending.send(try sending.job(mixed))
            for outcome in outcomes {
                #expect(outcome.verdict == (outcome.recipient % 10 == 0 ? .rejected : .sent))
            }
            #expect(began(sending.refusals).isEmpty)
            await sending.output.shutDown()
        }
    }

    /// Microsoft's service returns this answer for stale subscriptions. Any number of such answers must leave the key
    /// in use.
    @Test func keepsProvenKeyAfterManyUnexplainedRefusals() async throws {
        try await ScriptedServer.with(answer: { request in
            .init(status: request.line.contains("stale") ? 401 : 201)
        }) { server in
            let origin = Endpoint(host: "localhost", port: server.port)
            let sending = try Sending(to: [origin], authorityFile: server.authorityFile)
            await sending.send(try sending.job([Browser(endpoint: "https://\(origin)/own")]))
            let stale = (0..<500).map { Browser(endpoint: "https://\(origin)/stale/\($0)") }
            let outcomes = await sending.send(try sending.job(stale))
            #expect(outcomes.allSatisfy { $0.verdict == .rejected && $0.reason == "Status401" && $0.status == 401 })
            let own = await sending.send(try sending.job([Browser(endpoint: "https://\(origin)/own/2")]))
            #expect(own.map(\.verdict) == [.sent])
            #expect(began(sending.refusals).allSatisfy { $0.topic != origin.description })
            await sending.output.shutDown()
        }
    }

    /// After an unexplained refusal, the next message tests the key, and no message is held.
    @Test func sendsNextMessageWhenKeyIsInDoubt() async throws {
        try await ScriptedServer.with(answer: { request in
            .init(status: request.line.contains("stale") ? 401 : 201)
        }) { server in
            let origin = Endpoint(host: "localhost", port: server.port)
            let sending = try Sending(to: [origin], authorityFile: server.authorityFile) {
                $0.breakMilliseconds = 3_600_000
            }
            let first = await sending.send(try sending.job([Browser(endpoint: "https://\(origin)/stale")]))
            #expect(first.map(\.verdict) == [.retry] && first.map(\.reason) == ["Status401"])
            let others = (0..<20).map { Browser(endpoint: "https://\(origin)/own/\($0)") }
            #expect(await sending.send(try sending.job(others)).allSatisfy { $0.verdict == .sent })
            // The service has now accepted the key, so a refusal concerns the subscription.
            let again = await sending.send(try sending.job([Browser(endpoint: "https://\(origin)/stale")]))
            #expect(again.map(\.verdict) == [.rejected])
            #expect(began(sending.refusals).isEmpty)
            await sending.output.shutDown()
        }
    }

    /// If no message is accepted in between, several refusals concern the key.
    @Test func holdsKeyThatServiceNeverAccepts() async throws {
        try await ScriptedServer.with(answer: { _ in .init(status: 403) }) { server in
            let origin = Endpoint(host: "localhost", port: server.port)
            let sending = try Sending(to: [origin], authorityFile: server.authorityFile) {
                $0.breakMilliseconds = 3_600_000
            }
            let browsers = (0..<300).map { Browser(endpoint: "https://\(origin)/\($0)") }
            for _ in 0..<3 { await sending.send(try sending.job(browsers)) }
            let asked = server.requests.count
            let held = await sending.send(try sending.job(browsers))
            #expect(held.allSatisfy { $0.verdict == .hold && $0.status == 0 && $0.reason == "Status403" })
            #expect(server.requests.count == asked)
            #expect(began(sending.refusals).count == 1)
            await sending.output.shutDown()
        }
    }

    /// Messages that wait for an unreachable origin use no attempt.
    @Test func countsNoAttemptWhileOriginIsUnreachable() async throws {
        let refusing = try RefusingPort()
        let origin = Endpoint(host: "localhost", port: refusing.port)
        let sending = try Sending(to: [origin], authorityFile: nil)
        let browsers = (0..<200).map { Browser(endpoint: "https://\(origin)/\($0)") }
        let outcomes = await sending.send(try sending.job(browsers))
        #expect(outcomes.allSatisfy { $0.verdict == .hold && $0.reason == "ConnectionFailed" })
        await sending.output.shutDown()
    }

    /// After ten refusals in a row, nothing is sent to the service for the time that it asks for.
    @Test func pausesBusyServiceForRetryAfter() async throws {
        try await ScriptedServer.with(answer: { _ in .init(status: 429, fields: ["retry-after": "60"]) }) { server in
            let origin = Endpoint(host: "localhost", port: server.port)
            let sending = try Sending(to: [origin], authorityFile: server.authorityFile)
            let browsers = (0..<2_000).map { Browser(endpoint: "https://\(origin)/\($0)") }
            let began = ContinuousClock.now
            let outcomes = await sending.send(try sending.job(browsers))
            let elapsed = Int32((ContinuousClock.now - began).components.seconds) + 1
            #expect(outcomes.allSatisfy { $0.reason == "Status429" })
            // Only messages on the wire have used an attempt.
            #expect(outcomes.allSatisfy { $0.verdict == ($0.status == 429 ? .retry : .hold) })
            #expect(outcomes.allSatisfy { (60 - elapsed...60).contains($0.retryAfterSeconds) })
            #expect(server.requests.count < 2_000, "messages that waited are held and not sent")
            let asked = server.requests.count
            let late = await sending.send(try sending.job(Array(browsers.prefix(50))))
            #expect(late.allSatisfy { $0.verdict == .hold && $0.status == 0 })
            #expect(server.requests.count == asked)
            await sending.output.shutDown()
        }
    }

    @Test func logsShortenedRetryAfter() async throws {
        try await ScriptedServer.with(answer: { _ in .init(status: 429, fields: ["retry-after": "3600"]) }) { server in
            let origin = Endpoint(host: "localhost", port: server.port)
            let log = LogRecorder()
            let sending = try Sending(to: [origin], authorityFile: server.authorityFile, logBook: log)
            await sending.send(try sending.job((0..<10).map { Browser(endpoint: "https://\(origin)/\($0)") }))
            #expect(log.text.contains(#""asked_for": 3600"#) && log.text.contains(#""seconds": 900"#), "\(log.text)")
            await sending.output.shutDown()
        }
    }

    /// A silent origin and an origin that refuses connections must not delay messages to other origins.
    @Test func keepsSendingToOtherOriginsDuringOutage() async throws {
        try await ScriptedServer.with(answer: { _ in nil }) { silent in
            try await ScriptedServer.with(answer: { _ in .init(status: 201) }) { good in
                let refusing = try RefusingPort()
                let origins = [silent.port, refusing.port, good.port].map { Endpoint(host: "localhost", port: $0) }
                let sending = try Sending(to: origins, authorityFile: try authorities([silent, good])) {
                    $0.silenceMilliseconds = 20_000
                    $0.requestTimeoutSeconds = 20
                }
                let browsers = (0..<300).map { Browser(endpoint: "https://\(origins[$0 % 3])/\($0)") }
                sending.output.send(try sending.job(browsers), reportingTo: sending.recorder)
                try await eventually("100 are sent; \(sending.recorder.outcomes.count) outcomes") {
                    sending.recorder.outcomes.count { $0.verdict == .sent } == 100
                }
                let given = sending.recorder.outcomes.count { $0.recipient % 3 == 0 }
                #expect(given == 0, "messages to the silent origin are pending, so no other message waited for them")
                await sending.recorder.wait(for: 300)
                for outcome in sending.recorder.outcomes {
                    switch outcome.recipient % 3 {
                    case 0: #expect([.unknown, .hold].contains(outcome.verdict), "\(outcome.reason ?? "")")
                    case 1: #expect(outcome.verdict == .hold && outcome.reason == "ConnectionFailed")
                    default: #expect(outcome.verdict == .sent)
                    }
                }
                await sending.output.shutDown()
            }
        }
    }

    private func began(_ events: [Refusal.Event]) -> [Refusal.Subject] {
        events.compactMap { if case .began(let refusal) = $0 { refusal.subject } else { nil } }
    }
}
