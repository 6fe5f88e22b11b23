import FCMSimulator
import SimulatorTestSupport
import Testing

/// The quota of a project, and the recorded violations of a sender.
@Suite struct QuotaTests {
    private func statuses(_ session: FCMSession, _ tokens: [String]) async throws -> [Int] {
        var statuses: [Int] = []
        for (number, token) in tokens.enumerated() {
            statuses.append(try await session.send(to: token, "\"data\":{\"n\":\"\(number) \(session.now)\"}").status)
        }
        return statuses
    }

    @Test func countsAcceptedAndInvalidMessagesAgainstQuota() async throws {
        try await FCMSession.run {
            $0.quota.messages = 5
        } _: { session async throws in
            let good = FCMSession.token
            let tokens = [
                good, "dead0404:APA91b", "malformed", "bad00503:APA91b", "bad00429:APA91b", good, good, good, good,
            ]
            #expect(try await statuses(session, tokens) == [200, 404, 400, 503, 429, 200, 200, 429, 429])
            let full = try await session.send("\"data\":{\"n\":\"full\"}")
            #expect(full.fields["retry-after"] == "60" && full.body.contains(#""subject":"project""#), "\(full)")
            session.advance(milliseconds: 59_999)
            #expect(try await session.send("\"data\":{\"n\":\"again\"}").fields["retry-after"] == "1")
            session.advance(milliseconds: 1)
            #expect(try await statuses(session, [good]) == [200])
            let periods = try #require(session.simulator.quotaPeriods[TestAccount.project])
            #expect(
                periods.map(\.spent) == [5, 1] && periods.map(\.accepted) == [3, 1] && periods.map(\.refused) == [4, 0])
            let shown = try await session.control.send("GET", "quota").body
            #expect(shown.contains(#""refused":4,"spent":5"#), "\(shown)")
        }
    }

    @Test func omitsRetryAfterIfConfigured() async throws {
        try await FCMSession.run { session async throws in
            let quota = #"{"messages":1,"period_ms":500,"retry_after":false}"#
            #expect(try await session.control.send("PUT", "quota", quota).status == 204)
            #expect(try await statuses(session, [FCMSession.token, FCMSession.token]) == [200, 429])
            #expect(try await session.send("\"data\":{\"n\":\"x\"}").fields["retry-after"] == nil)
            session.advance(milliseconds: 500)
            #expect(try await statuses(session, [FCMSession.token]) == [200])
            #expect(try await session.control.send("PUT", "quota", #"{"messages":"many"}"#).status == 400)
        }
    }

    @Test func refusesEveryMessageOfQuotaOfZero() async throws {
        try await FCMSession.run {
            $0.quota.messages = 0
        } _: { session async throws in
            #expect(try await statuses(session, [FCMSession.token, FCMSession.token]) == [429, 429])
        }
    }

    @Test func recordsEarlyRetriesAndDuplicates() async throws {
        try await FCMSession.run { session async throws in
            func answer(_ answer: PlannedFCMAnswer) async throws {
                session.simulator.answerNext(1, with: answer)
                _ = try await session.send("\"data\":{\"n\":\"1\"}")
            }
            func violations() -> [String] {
                session.simulator.violations.map { "\($0.kind.rawValue) \($0.statusBefore) \($0.elapsedMilliseconds)" }
            }
            try await answer(PlannedFCMAnswer(.unavailable))
            session.advance(milliseconds: 9_999)
            try await answer(PlannedFCMAnswer(.unavailable))
            #expect(violations() == ["retry_too_soon 503 9999"])
            session.advance(milliseconds: 10_000)
            try await answer(PlannedFCMAnswer(.unavailable, retryAfter: 20))
            session.advance(milliseconds: 19_999)
            try await answer(PlannedFCMAnswer(.quotaExceeded))
            session.advance(milliseconds: 59_999)
            try await answer(PlannedFCMAnswer(.quotaExceeded))
            session.advance(milliseconds: 60_000)
            try await answer(.accepted)
            #expect(violations().dropFirst() == ["retry_too_soon 503 19999", "retry_too_soon 429 59999"])
            session.advance(milliseconds: 1_000_000)
            let ttl = #""android":{"ttl":"TTLs"},"data":{"n":"2"}"#
            _ = try await session.send(ttl.replacing("TTL", with: "60"))
            _ = try await session.send(ttl.replacing("TTL", with: "59"))
            #expect(violations().dropFirst(3) == ["duplicate 200 0"], "a shorter TTL makes no difference")
            let counters = await session.simulator.counters()
            #expect(counters.others == ["retry_too_soon": 3, "duplicate": 1])
            #expect(try await session.control.send("GET", "violations").body.contains(#""kind":"duplicate""#))
        }
    }

    @Test func recordsNoViolationForOtherMessagesOrDryRuns() async throws {
        try await FCMSession.run { session async throws in
            for rest in [#""data":{"n":"1"}"#, #""data":{"n":"2"}"#, #""android":{"ttl":"1s"}"#, #""apns":{}"#] {
                #expect(try await session.send(rest).status == 200)
                #expect(try await session.send(to: "other:APA91b", rest).status == 200)
            }
            for _ in 0..<2 {
                _ = try await session.send(body: #"{"validate_only":true,"message":{"topic":"t"}}"#)
            }
            #expect(session.simulator.violations == [])
        }
    }
}
