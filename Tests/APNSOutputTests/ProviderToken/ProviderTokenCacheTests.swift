import APNSOutput
import PushModel
import Store
import Testing

@Suite struct ProviderTokenCacheTests {
    private static let minute: Int64 = 60_000

    private func shared(_ text: String, age: Int64 = 0) -> SharedToken {
        SharedToken(token: Secret(text.utf8), issuedAt: Timestamp(seconds: 0), age: age)
    }

    /// What `needed` says, in words: a token's text, `pending` or `unavailable`; with the age asked for.
    private func ask(_ cache: inout ProviderTokenCache, at now: Int64) -> (String, asked: Int64?) {
        let (answer, fetch) = cache.needed(now: now)
        let word =
            switch answer {
            case .token(let token): token.token.withBytes { String(decoding: $0, as: UTF8.self) }
            case .pending: "pending"
            case .unavailable: "unavailable"
            }
        return (word, fetch?.age)
    }

    /// One that took token "a" when the process' clock said 0.
    private func holding(age: Int64 = 0) -> ProviderTokenCache {
        var cache = ProviderTokenCache()
        _ = cache.needed(now: 0)
        _ = cache.fetched(shared("a", age: age), now: 0)
        return cache
    }

    @Test func asksOnceAndWaits() {
        var cache = ProviderTokenCache()
        #expect(ask(&cache, at: 0) == ("pending", 25 * Self.minute))
        #expect(ask(&cache, at: 4_999) == ("pending", nil))
        #expect(ask(&cache, at: 5_000) == ("unavailable", nil), "a store that does not answer is away")
        let isBack = cache.fetched(shared("a"), now: 6_000)
        #expect(!isBack)
        #expect(ask(&cache, at: 6_000) == ("a", nil))
    }

    @Test(arguments: [0, 10, 24]) func holdsATokenUntilItIsTwentyFiveMinutesOld(age: Int64) {
        var cache = holding(age: age * Self.minute)
        #expect(ask(&cache, at: (25 - age) * Self.minute - 1) == ("a", nil))
        #expect(ask(&cache, at: (25 - age) * Self.minute) == ("pending", 25 * Self.minute))
    }

    /// The age counts from when it was asked: the answer may have been long on its way.
    @Test func aTokenIsTakenForRatherTooOld() {
        var cache = ProviderTokenCache()
        _ = cache.needed(now: 0)
        _ = cache.fetched(shared("a", age: 20 * Self.minute), now: 4 * Self.minute)
        guard case .token(let token) = cache.needed(now: 4 * Self.minute).0 else { Issue.record(); return }
        #expect(token.age(at: 4 * Self.minute) == 24 * Self.minute)
    }

    /// The store's clock is the one that counts, and the two run apart.
    @Test func aTokenThatTheStoreFindsYoungEnoughIsNotAskedForAgainAtOnce() {
        var cache = holding(age: 25 * Self.minute - 1)
        #expect(ask(&cache, at: 4_999) == ("a", nil))
        #expect(ask(&cache, at: 5_000) == ("pending", 25 * Self.minute))
    }

    @Test func withTheStoreAwayATokenServesUntilItIsThirtyThreeMinutesOld() {
        var cache = holding()
        #expect(ask(&cache, at: 25 * Self.minute) == ("pending", 25 * Self.minute))
        let isFirst = cache.fetchFailed(now: 25 * Self.minute, random: 0)
        #expect(isFirst)
        #expect(ask(&cache, at: 25 * Self.minute) == ("a", nil))
        #expect(ask(&cache, at: 33 * Self.minute - 1) == ("a", 25 * Self.minute))
        let isFirstAgain = cache.fetchFailed(now: 33 * Self.minute - 1, random: 0)
        #expect(!isFirstAgain, "only the first failure is news")
        #expect(ask(&cache, at: 33 * Self.minute) == ("unavailable", nil))
        #expect(ask(&cache, at: 34 * Self.minute) == ("pending", 25 * Self.minute), "this attempt may succeed")
        let isBack = cache.fetched(shared("b"), now: 34 * Self.minute)
        #expect(isBack, "and so is its end")
        #expect(ask(&cache, at: 34 * Self.minute) == ("b", nil))
    }

    @Test func triesAgainAfterOneToThirtySeconds() {
        var cache = ProviderTokenCache()
        var now: Int64 = 0
        for seconds: Int64 in [1, 2, 4, 8, 16, 30, 30, 30] {
            #expect(ask(&cache, at: now).asked != nil)
            _ = cache.fetchFailed(now: now, random: 1)
            #expect(ask(&cache, at: now + seconds * 1_000 - 1) == ("unavailable", nil))
            now += seconds * 1_000
        }
    }

    @Test func aTokenCalledExpiredIsNotHandedOutUntilTheStoreWasAsked() {
        var cache = holding()
        cache.refused(Secret("a".utf8), now: Self.minute)
        #expect(ask(&cache, at: Self.minute) == ("pending", 20 * Self.minute), "a new one may be made 5 min early")
        _ = cache.fetchFailed(now: Self.minute, random: 0)
        #expect(ask(&cache, at: Self.minute) == ("unavailable", nil))
        _ = cache.needed(now: 2 * Self.minute)
        _ = cache.fetched(shared("b"), now: 2 * Self.minute)
        #expect(ask(&cache, at: 2 * Self.minute) == ("b", nil))
    }

    @Test func theSameTokenAgainStaysAndIsAskedAboutEveryThirtySeconds() {
        var cache = holding()
        cache.refused(Secret("a".utf8), now: 0)
        _ = cache.needed(now: 0)
        _ = cache.fetched(shared("a"), now: 0)
        #expect(ask(&cache, at: 0) == ("a", nil))
        cache.refused(Secret("a".utf8), now: 29_999)
        #expect(ask(&cache, at: 29_999) == ("a", nil))
        cache.refused(Secret("a".utf8), now: 30_000)
        #expect(ask(&cache, at: 30_000) == ("pending", 20 * Self.minute))
    }

    @Test func anotherTokenCalledExpiredChangesNothing() {
        var cache = holding()
        cache.refused(Secret("older".utf8), now: 0)
        #expect(ask(&cache, at: 0) == ("a", nil))
    }

    /// The question that was under way allowed an older token than a refusal does.
    @Test func aRefusalDuringAFetchIsNotForgotten() {
        var cache = holding()
        _ = cache.needed(now: 25 * Self.minute)
        cache.refused(Secret("a".utf8), now: 25 * Self.minute)
        _ = cache.fetched(shared("a", age: 24 * Self.minute), now: 25 * Self.minute)
        #expect(ask(&cache, at: 25 * Self.minute) == ("pending", 20 * Self.minute))
    }
}
