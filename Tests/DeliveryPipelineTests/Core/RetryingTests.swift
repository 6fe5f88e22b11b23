import AMQPClient
import DeliveryPipeline
import PushModel
import Testing

@Suite struct RetryingTests {
    private let five =
        #"{"id":"five","app":"com.example.shop","payload":{"n":1.0},"recipients":["a0","a1","a2","a3","a4"]}"#

    private func started(
        _ body: String, attempt: Int64 = 1, retry: RetryPolicy = RetryPolicy()
    ) throws -> (PipelineHarness, RoutedJob) {
        let harness = PipelineHarness(retry: retry)
        harness.deliver(
            body, lane: .urgent, properties: AMQPProperties(headers: ["x-martlet-attempt": .int64(attempt)]))
        if !harness.claims.isEmpty { try harness.grantClaims() }
        return (harness, try harness.job(0))
    }

    @Test func publishesRetriesOfJobInOneMessage() throws {
        let (harness, job) = try started(five, attempt: 2)
        harness.report(job, [.retry, .sent, .retry, .rejected, .retry], reason: "ServiceUnavailable")
        let retries = harness.published.filter { $0.exchange != "martlet.results" }
        try #require(retries.count == 1)
        let message = retries[0]
        #expect(message.exchange == "martlet.delay.30")
        #expect(message.routingKey == "urgent.returned")
        #expect(message.properties.headers["x-martlet-attempt"] == 3)
        #expect(message.properties.headers["x-martlet-redelivered"] == nil)
        let again = try decodedJob(String(decoding: message.body, as: UTF8.self))
        #expect(again.recipients.map { String(decoding: again.bytes($0.token), as: UTF8.self) } == ["a0", "a2", "a4"])
        #expect(String(decoding: again.bytes(again.payload), as: UTF8.self) == #"{"n":1.0}"#)
        #expect(again.id == "five")

        for event in harness.events { harness.confirm(event) }
        #expect(harness.acknowledged == [])
        harness.confirm(message)
        #expect(harness.acknowledged == [1])
        #expect(harness.core.currentCounts().retries == 3)
    }

    @Test func keepsFieldsOfRetriedRecipient() throws {
        let (harness, job) = try started(jobBody())
        harness.report(job, [job.outcome(1, .retry)])
        let again = try decodedJob(String(decoding: try #require(harness.published.first).body, as: UTF8.self))
        let recipient = try #require(again.recipients.first)
        #expect(again.recipients.count == 1)
        #expect(recipient.registeredAt == Timestamp(seconds: 1_700_000_000))
        #expect(recipient.payload.map { String(decoding: again.bytes($0), as: UTF8.self) } == #"{"own":2}"#)
        #expect(recipient.refJSON.map { String(decoding: again.bytes($0), as: UTF8.self) } == #""user \"2\"""#)
    }

    @Test func flagsOnlyRetriesOfPossiblyAcceptedPushes() throws {
        let (harness, job) = try started(five)
        harness.report(job, [.retry, .unknown, .unknown, .retry, .hold], reason: "ConnectionLost")
        #expect(harness.events.isEmpty)
        var marked: [String: Bool] = [:]
        for message in harness.published {
            let job = try decodedJob(String(decoding: message.body, as: UTF8.self))
            for recipient in job.recipients {
                let token = String(decoding: job.bytes(recipient.token), as: UTF8.self)
                marked[token] = message.properties.headers["x-martlet-redelivered"] == true
            }
        }
        #expect(marked == ["a0": false, "a1": true, "a2": true, "a3": false, "a4": false])
        #expect(harness.published.count == 3, "refused, unknown and held must not share a message")
        for message in harness.published { harness.confirm(message) }
        #expect(harness.acknowledged == [1])
    }

    /// An earlier attempt may have been accepted, so the flag stays for every outcome of this attempt.
    @Test(arguments: [Outcome.Verdict.retry, .hold, .returned])
    func keepsFlagOfRecipientThatMayHaveBeenAcceptedEarlier(verdict: Outcome.Verdict) throws {
        let (harness, job) = try started(five)
        harness.report(job, [.unknown, .retry], reason: "ConnectionLost")
        for (message, number) in zip(harness.published, [2, 3] as [UInt64]) {
            harness.deliver(
                String(decoding: message.body, as: UTF8.self), number: number, properties: message.properties)
        }
        for job in harness.output.jobs.dropFirst() { harness.report(job, [verdict], reason: "ServiceUnavailable") }
        let marks = try harness.published.suffix(2).map { message in
            let job = try decodedJob(String(decoding: message.body, as: UTF8.self))
            return (
                String(decoding: job.bytes(job.recipients[0].token), as: UTF8.self),
                message.properties.headers["x-martlet-redelivered"] == true
            )
        }
        #expect(Dictionary(uniqueKeysWithValues: marks) == ["a0": true, "a1": false])
    }

    @Test func reportsUnknownOnlyIfAnAttemptMayHaveBeenAccepted() throws {
        let (harness, job) = try started(five, retry: RetryPolicy(delays: [5], maximumAttempts: 2))
        harness.report(job, [.unknown, .retry], reason: "ConnectionLost")
        for (message, number) in zip(harness.published, [2, 3] as [UInt64]) {
            harness.deliver(
                String(decoding: message.body, as: UTF8.self), number: number, properties: message.properties)
        }
        for job in harness.output.jobs.dropFirst() { harness.report(job, [.retry], reason: "ServiceUnavailable") }
        let ends = try harness.outcomes().map { outcome in
            "\(outcome["recipient"] ?? "") \(outcome["kind"] ?? "") \(outcome["redelivered"] ?? "-")"
        }
        #expect(ends.sorted() == ["a0 unknown 1", "a1 failed -"])
    }

    @Test func doesNotRetryUnknownPushOfAtMostOnceJob() throws {
        let (harness, job) = try started(jobBody(more: #""at_most_once":true,"#))
        harness.report(job, [.unknown, .retry], reason: "ConnectionLost")
        #expect(
            try harness.outcomes().map { [$0["kind"], $0["recipient"], $0["reason"]] }
                == [["unknown", "aa01", "ConnectionLost"]])
        let retry = try #require(harness.published.first { $0.exchange != "martlet.results" })
        let again = try decodedJob(String(decoding: retry.body, as: UTF8.self))
        #expect(again.recipients.count == 1, "only the refused push may be retried")
        #expect(again.atMostOnce)
        #expect(retry.properties.headers["x-martlet-redelivered"] == nil)
    }

    @Test(
        arguments: [
            (10, "", Outcome.Verdict.retry, "failed RetriesExhausted ServiceUnavailable"),
            (10, "", .unknown, "unknown ServiceUnavailable -"),
            (1, #""expires_at":1800000004,"#, .retry, "expired ServiceUnavailable -"),
            (1, #""expires_at":0,"#, .retry, "expired ServiceUnavailable -"),
            (1, #""expires_at":0,"#, .unknown, "unknown ServiceUnavailable -"),
            (Int64.max, "", .retry, "failed RetriesExhausted ServiceUnavailable"),
        ] as [(Int64, String, Outcome.Verdict, String)])
    func endsRecipientWithoutAttemptsLeft(attempt: Int64, more: String, verdict: Outcome.Verdict, told: String) throws {
        let (harness, job) = try started(jobBody(more: more), attempt: attempt)
        harness.report(job, [verdict, verdict], reason: "ServiceUnavailable")
        let outcomes = try harness.outcomes().map {
            "\($0["kind"] ?? "-") \($0["reason"] ?? "-") \($0["detail"] ?? "-")"
        }
        #expect(outcomes == [told, told])
        harness.confirm(try #require(harness.published.first))
        #expect(harness.acknowledged == [1])
    }

    @Test(arguments: [-5, 0, 1] as [Int64])
    func treatsInvalidAttemptAsFirst(attempt: Int64) throws {
        let (_, job) = try started(five, attempt: attempt)
        #expect(job.attempt == 1)
    }

    @Test func publishesRetriesOfEachJobSeparately() throws {
        let harness = PipelineHarness()
        harness.deliver([.sample(jobBody("1"), number: 1), .sample(jobBody("2"), number: 2)])
        harness.core.report(harness.output.jobs.map { $0.outcome(0, .retry) })
        harness.flush()
        let ids = try harness.published.map { try decodedJob(String(decoding: $0.body, as: UTF8.self)).id }
        #expect(ids.sorted() == ["1", "2"])
    }

    @Test func keepsTimeOfFirstAttempt() throws {
        let (harness, job) = try started(five)
        harness.report(job, [.retry], reason: "ServiceUnavailable")
        let message = try #require(harness.published.first)
        #expect(message.properties.headers["x-martlet-first-attempt-at"] == .int64(now.milliseconds))
        let later = PipelineHarness()
        later.deliver(
            String(decoding: message.body, as: UTF8.self),
            properties: AMQPProperties(headers: ["x-martlet-first-attempt-at": .int64(now.milliseconds - 86_400_000)]))
        later.report(try later.job(0), [.retry], reason: "ServiceUnavailable")
        #expect(try later.outcomes().map { $0["reason"] } == ["RetriesExhausted"])
    }

    @Test func replacesFutureTimeOfFirstAttempt() throws {
        let harness = PipelineHarness()
        harness.deliver(
            five, properties: AMQPProperties(headers: ["x-martlet-first-attempt-at": .int64(Int64.max)]))
        harness.report(try harness.job(0), [.retry])
        let message = try #require(harness.published.first)
        #expect(message.properties.headers["x-martlet-first-attempt-at"] == .int64(now.milliseconds))
    }

    @Test func doesNotCountHoldAsAttempt() throws {
        let (harness, job) = try started(five, attempt: 4)
        let held = [0, 2].map { job.outcome($0, .hold, reason: "InvalidProviderToken") }
        harness.report(job, held + [job.outcome(1, .retry, reason: "ServiceUnavailable")])
        let messages = harness.published.sorted { $0.exchange < $1.exchange }
        #expect(messages.map(\.exchange) == ["martlet.delay.30", "martlet.delay.900"])
        #expect(messages.map { $0.properties.headers["x-martlet-attempt"] } == [4, 5])
        #expect(harness.events.isEmpty)
        let counts = harness.core.currentCounts()
        #expect(counts.pushesHeld == 2)
        #expect(counts.heldUntil.milliseconds == now.milliseconds + 30_000)
    }

    @Test(
        arguments: [
            ("", 86_400_000, "failed CredentialRefused InvalidProviderToken"),
            (#""expires_at":0,"#, 0, "expired InvalidProviderToken -"),
        ] as [(String, Int64, String)])
    func endsHeldRecipientAfterMaximumAgeOrDeadline(more: String, age: Int64, told: String) throws {
        let harness = PipelineHarness()
        harness.deliver(
            jobBody(more: more),
            properties: AMQPProperties(headers: ["x-martlet-first-attempt-at": .int64(now.milliseconds - age)]))
        harness.report(try harness.job(0), [.hold, .hold], reason: "InvalidProviderToken")
        let outcomes = try harness.outcomes().map {
            "\($0["kind"] ?? "-") \($0["reason"] ?? "-") \($0["detail"] ?? "-")"
        }
        #expect(outcomes == [told, told])
    }
}
