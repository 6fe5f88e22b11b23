import AMQPClient
import DeliveryPipeline
import PushModel
import Store
import Testing

@Suite struct SuppressionTests {
    private let death = Timestamp(seconds: 1_790_000_000)

    private func filter(of tokens: [String], maximumBytes: Int = 64 << 20) -> DeadTokenFilter {
        var filter = DeadTokenFilter(expecting: tokens.count, maximumBytes: maximumBytes)
        for token in tokens { filter.insert(hash(token)) }
        return filter
    }

    private func hash(_ token: String) -> UInt64 {
        let seed = TokenHash.seed(output: "apns", app: "com.example.shop", environment: .production)
        return Array(token.utf8).withUnsafeBytes { TokenHash.hash(address: $0, form: .text, seed: seed) }
    }

    private func harness(dead tokens: [String], maximumBytes: Int = 64 << 20) -> PipelineHarness {
        let harness = PipelineHarness()
        harness.core.received(.loaded(filter(of: tokens, maximumBytes: maximumBytes)))
        return harness
    }

    private func body(_ id: String, _ tokens: [String], more: String = "") -> String {
        let recipients = tokens.map { #""\#($0)""# }.joined(separator: ",")
        return #"{"id":"\#(id)","app":"com.example.shop",\#(more)"payload":{},"recipients":[\#(recipients)]}"#
    }

    private func lookUp(_ harness: PipelineHarness, _ index: Int = 0) throws -> LookupBuffer.Lookup {
        try #require(harness.recorder.withRecord { $0.lookUps }.dropFirst(index).first)
    }

    private func answer(
        _ harness: PipelineHarness, _ lookUp: LookupBuffer.Lookup, dead: [String: Timestamp]?
    ) {
        harness.core.lookedUp(
            lookUp.id,
            deaths: dead.map { dead in
                lookUp.keys.enumerated().reduce(into: [:]) { deaths, key in
                    deaths[key.offset] = dead[key.element.token]
                }
            })
        harness.flush()
    }

    private func tokens(_ job: RoutedJob) -> [String] {
        job.job.recipients.map { String(decoding: job.job.bytes($0.token), as: UTF8.self) }
    }

    @Test func sendsWithoutLookUpIfNoTokenIsDead() throws {
        for harness in [PipelineHarness(), harness(dead: []), harness(dead: ["dd"])] {
            harness.deliver(body("1", ["aa", "bb"]))
            #expect(harness.started == ["1"])
            #expect(harness.recorder.withRecord { $0.lookUps.count } == 0)
        }
    }

    @Test func sendsLiveTokensAtOnceAndSuppressesDeadOnes() throws {
        let harness = harness(dead: ["aa02", "aa04"])
        harness.deliver(body("1", ["aa01", "AA02", "aa03", "aa04", "aa05"]))
        #expect(try tokens(harness.job(0)) == ["aa01", "aa03", "aa05"])
        let lookUp = try lookUp(harness)
        #expect(lookUp.keys.map(\.token) == ["aa02", "aa04"])
        #expect(lookUp.keys.allSatisfy { $0.output == "apns" && $0.app == "com.example.shop" })
        answer(harness, lookUp, dead: ["aa02": death, "aa04": death])
        #expect(harness.output.jobs.count == 1)
        let told = try harness.outcomes()
        #expect(told.map { $0["kind"] } == ["suppressed", "suppressed"])
        #expect(told.map { $0["recipient"] } == ["AA02", "aa04"])
        #expect(told.allSatisfy { $0["unregistered_at"] == death.rfc3339 })

        harness.report(try harness.job(0), [.sent, .sent, .sent])
        for event in harness.events { harness.confirm(event) }
        #expect(harness.acknowledged == [1])
        let counts = harness.core.currentCounts()
        #expect(counts.outcomes == ["suppressed": 2, "sent": 3])
        #expect(counts.lookUpsDead == 2 && counts.lookUpsLive == 0 && counts.suppressionTokens == 2)
    }

    /// A filter of 32 bytes with 1,000 tokens matches every token.
    @Test func sendsTokenAfterFalsePositiveOfFilter() throws {
        let harness = harness(dead: (0..<1_000).map { "dd\($0)" }, maximumBytes: 32)
        harness.deliver(body("1", ["aa01", "aa02"]))
        #expect(harness.started == [], "the filter must match all")
        answer(harness, try lookUp(harness), dead: ["aa02": death])
        #expect(try tokens(harness.job(0)) == ["aa01"])
        #expect(try harness.outcomes().map { $0["recipient"] } == ["aa02"])
    }

    @Test(arguments: [(-1, false), (0, true), (1, true)])
    func sendsToTokenRegisteredAfterDeath(seconds: Int64, isSent: Bool) throws {
        let registered = death.seconds + seconds
        let harness = harness(dead: ["aa01"])
        harness.deliver(
            #"""
            {"id":"1","app":"com.example.shop","payload":{},
             "recipients":[{"token":"aa01","registered_at":\#(registered)}]}
            """#)
        let lookUp = try lookUp(harness)
        answer(harness, lookUp, dead: ["aa01": death])
        #expect(harness.output.jobs.count == (isSent ? 1 : 0))
        #expect(try harness.outcomes().count == (isSent ? 0 : 1))
        let registrations = lookUp.registrations(against: [0: death])
        #expect(registrations.map(\.registeredAt.seconds) == (isSent ? [registered] : []))
        #expect(lookUp.registrations(against: [:]) == [])
    }

    /// The addresses are escaped in the job. Their lengths are around the limit above which a hash is stored.
    @Test(arguments: [199, 200, 201, 1_024])
    func looksUpLongAddressWithoutTruncation(bytes: Int) throws {
        let address = "https://push.example.net/é" + String(repeating: "x", count: bytes - 27)
        #expect(address.utf8.count == bytes)
        let harness = harness(dead: [address])
        let written = address.replacing("/", with: #"\/"#).replacing("é", with: #"\u00e9"#)
        harness.deliver(body("1", [written, written + "x"]))
        let lookUp = try lookUp(harness)
        #expect(lookUp.keys.map(\.token) == [address])
        answer(harness, lookUp, dead: [address: death])
        #expect(harness.output.jobs.map(tokens) == [[address + "x"]])
        #expect(try harness.outcomes().map { $0["recipient"] } == [address])
    }

    @Test(arguments: [true, false])
    func sendsAllIfDatabaseDoesNotAnswer(isLate: Bool) throws {
        let harness = harness(dead: ["aa01", "aa02"])
        harness.deliver(body("1", ["aa01"]))
        harness.deliver(body("2", ["aa02"]), number: 2)
        #expect(harness.started == [])
        let lookUp = try lookUp(harness)
        if isLate {
            #expect(harness.timers.contains(2_000))
            harness.passLookUpTime()
        } else {
            answer(harness, lookUp, dead: nil)
        }
        #expect(harness.started == ["1", "2"], "jobs that waited for the next look-up must start, too")
        answer(harness, lookUp, dead: ["aa01": death])
        #expect(harness.started == ["1", "2"], "a late answer must change nothing")
        #expect(try harness.outcomes().isEmpty)
        #expect(harness.core.currentCounts().lookUpsFailed == 2)

        harness.deliver(body("3", ["aa01"]), number: 3)
        #expect(harness.started == ["1", "2", "3"], "after a failure, no look-up for 5 s")
        harness.pass(seconds: 5)
        harness.deliver(body("4", ["aa01"]), number: 4)
        #expect(harness.started == ["1", "2", "3"])
    }

    @Test func runsOneLookUpAtATime() throws {
        let harness = harness(dead: ["aa01"])
        for number in 1...3 { harness.deliver(body("\(number)", ["aa01"]), number: UInt64(number)) }
        #expect(harness.recorder.withRecord { $0.lookUps.map(\.keys.count) } == [1])
        answer(harness, try lookUp(harness), dead: ["aa01": death])
        #expect(harness.recorder.withRecord { $0.lookUps.map(\.keys.count) } == [1, 2])
        answer(harness, try lookUp(harness, 1), dead: ["aa01": death])
        #expect(try harness.outcomes().map { $0["job"] } == ["1", "2", "3"])
        for event in harness.events { harness.confirm(event) }
        #expect(harness.acknowledged.sorted() == [1, 2, 3])
    }

    @Test func looksUpTokenMarkedLater() throws {
        let harness = harness(dead: [])
        harness.deliver(body("1", ["aa01"]))
        harness.core.received(.marked([hash("aa01")]))
        harness.deliver(body("2", ["aa01"]), number: 2)
        #expect(harness.started == ["1"])
        #expect(try lookUp(harness).keys.map(\.token) == ["aa01"])
    }

    @Test func reportsSuppressedForProblemsOnlyJob() throws {
        let harness = harness(dead: ["aa01"])
        harness.deliver(body("1", ["aa01", "aa02"], more: #""results":"problems","#))
        answer(harness, try lookUp(harness), dead: ["aa01": death])
        harness.report(try harness.job(0), [.sent])
        #expect(try harness.outcomes().map { $0["kind"] } == ["suppressed"])
        try harness.confirmEvent(0)
        #expect(harness.acknowledged == [1])
    }

    /// The output receives two jobs from one delivery: one with the recipients that the filter cleared, and later one
    /// with those that the database cleared.
    @Test func keepsRecipientsInRetriesOfBothParts() throws {
        let harness = harness(dead: ["aa02", "aa03"])
        harness.deliver(body("1", ["aa01", "aa02", "aa03", "aa04"]))
        answer(harness, try lookUp(harness), dead: ["aa02": death])
        let (first, second) = (try harness.job(0), try harness.job(1))
        #expect(tokens(first) == ["aa01", "aa04"] && tokens(second) == ["aa03"])
        harness.core.report([first.outcome(1, .retry), second.outcome(0, .retry), first.outcome(0, .sent)])
        harness.flush()
        let delayed = harness.published.filter { $0.exchange.hasPrefix("martlet.delay.") }
        let again = try delayed.flatMap { message in
            try decodedJob(String(decoding: message.body, as: UTF8.self)).recipientTokens
        }
        #expect(again.sorted() == ["aa03", "aa04"])
        for message in harness.published { harness.confirm(message) }
        #expect(harness.acknowledged == [1])
    }

    @Test func drainWaitsForLookUp() throws {
        let harness = harness(dead: ["aa01"])
        harness.deliver(body("1", ["aa01"]))
        harness.drain()
        #expect(harness.drained == 0)
        answer(harness, try lookUp(harness), dead: ["aa01": death])
        try harness.confirmEvent(0)
        #expect(harness.drained == 1)
    }
}

extension Job {
    fileprivate var recipientTokens: [String] {
        fields.recipients.map { String(decoding: bytes($0.token), as: UTF8.self) }
    }
}
