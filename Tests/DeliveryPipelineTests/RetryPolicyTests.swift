import DeliveryPipeline
import PushModel
import Testing

@Suite struct RetryPolicyTests {
    private static func at(_ seconds: Int64) -> Job.Expiration { .at(Timestamp(seconds: now.seconds + seconds)) }

    @Test(
        arguments: [
            (1, nil, RetryPolicy.Decision.wait(seconds: 5)),
            (2, nil, .wait(seconds: 30)),
            (3, nil, .wait(seconds: 120)),
            (4, nil, .wait(seconds: 900)),
            (5, nil, .wait(seconds: 3600)),
            (9, nil, .wait(seconds: 3600)),
            (10, nil, .giveUp),
            (Int.max, nil, .giveUp),
            (1, .nowOrNever, .expire),
            (10, .nowOrNever, .giveUp),
            (1, at(4), .expire),
            (1, at(5), .wait(seconds: 5)),
            (2, at(29), .expire),
            (2, at(30), .wait(seconds: 30)),
            (5, at(3599), .expire),
            (1, at(-1), .expire),
        ] as [(Int, Job.Expiration?, RetryPolicy.Decision)])
    func decidesAfterAttempt(attempt: Int, expiration: Job.Expiration?, decision: RetryPolicy.Decision) {
        #expect(RetryPolicy().decide(afterAttempt: attempt, expiration: expiration, now: now) == decision)
    }

    @Test(
        arguments: [
            ([5, 30, 120], nil, RetryPolicy.Decision.wait(seconds: 30)),
            ([1, 2], nil, .wait(seconds: 2)),
            ([45], nil, .wait(seconds: 45)),
            ([], nil, .giveUp),
            ([5, 30], at(29), .expire),
            ([5, 30], at(30), .wait(seconds: 30)),
            ([5, 30], .nowOrNever, .expire),
        ] as [([Int], Job.Expiration?, RetryPolicy.Decision)])
    func decidesWhileHeld(delays: [Int], expiration: Job.Expiration?, decision: RetryPolicy.Decision) {
        #expect(RetryPolicy(delays: delays).hold(expiration: expiration, now: now) == decision)
    }

    @Test func givesUpAfterOneAttemptWithoutDelays() {
        #expect(RetryPolicy(delays: []).decide(afterAttempt: 1, expiration: nil, now: now) == .giveUp)
    }

    @Test(
        arguments: [
            (1, 0, 6, RetryPolicy.Decision.wait(seconds: 30)),
            (1, 0, 30, .wait(seconds: 30)),
            (3, 0, 30, .wait(seconds: 120)),
            (1, 0, 1_000_000, .wait(seconds: 3600)),
            (1, 86_399, 0, .wait(seconds: 5)),
            (1, 86_400, 0, .giveUp),
        ] as [(Int, Int64, Int32, RetryPolicy.Decision)])
    func appliesAgeAndRequestedDelay(attempt: Int, age: Int64, wish: Int32, decision: RetryPolicy.Decision) {
        #expect(
            RetryPolicy().decide(afterAttempt: attempt, age: age, wish: wish, expiration: nil, now: now) == decision)
    }

    @Test(
        arguments: [
            (0, 0, RetryPolicy.Decision.wait(seconds: 30)), (0, 900, .wait(seconds: 30)),
            (30, 60, .wait(seconds: 30)), (23, 900, .wait(seconds: 30)), (24, 900, .wait(seconds: 120)),
            (179, 900, .wait(seconds: 120)), (180, 899, .wait(seconds: 120)), (180, 900, .wait(seconds: 900)),
            (86_399, 120, .wait(seconds: 120)), (86_400, 0, .giveUp),
        ] as [(Int64, Int32, RetryPolicy.Decision)])
    func appliesAgeAndRequestedDelayWhileHeld(age: Int64, wish: Int32, decision: RetryPolicy.Decision) {
        #expect(RetryPolicy().hold(age: age, wish: wish, expiration: nil, now: now) == decision)
    }

    @Test(arguments: [([5, 30, 120], 30), ([1, 2], 2), ([60, 90], 60), ([], nil)] as [([Int], Int?)])
    func holdsPausedJobsForFirstDelayOfAtLeastThirtySeconds(delays: [Int], seconds: Int?) {
        let decision = RetryPolicy(delays: delays).hold(expiration: nil, now: now)
        #expect(decision == seconds.map { .wait(seconds: $0) } ?? .giveUp)
    }

    /// The provider requires that retries end within an hour. Each delay must fit into the remaining time.
    @Test(
        arguments: [
            (1, RetryPolicy.Decision.wait(seconds: 30)), (2, .wait(seconds: 30)), (3, .wait(seconds: 120)),
            (4, .wait(seconds: 900)), (5, .wait(seconds: 900)), (6, .wait(seconds: 900)), (7, .wait(seconds: 120)),
        ] as [(Int, RetryPolicy.Decision)])
    func stopsRetriesWithinTimeLimitOfProvider(attempt: Int, decision: RetryPolicy.Decision) {
        #expect(
            RetryPolicy().decide(
                // The job was held for most of its age. This time does not count toward the provider's limit.
                afterAttempt: attempt, age: 40_000, wish: 10, patience: 3_600, expiration: nil, now: now) == decision)
    }

    @Test func keepsTotalDelayWithinTimeLimitOfProvider() {
        for wish in [0, 10, 100, 900, 3_600] as [Int32] {
            var waited = 0
            for attempt in 1...1_000 {
                let decision = RetryPolicy(maximumAttempts: 2_000).decide(
                    afterAttempt: attempt, wish: wish, patience: 3_600, expiration: nil, now: now)
                guard case .wait(let seconds) = decision else { break }
                waited += seconds
            }
            #expect((2_700...3_600).contains(waited), "\(wish): \(waited)")
        }
    }
}
