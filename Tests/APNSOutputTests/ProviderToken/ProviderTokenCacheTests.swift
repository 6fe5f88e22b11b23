import APNSOutput
import PushModel
import Store
import Testing

@Suite struct ProviderTokenCacheTests {
    private static let minute: Int64 = 60_000

    private func shared(_ text: String, age: Int64 = 0) -> SharedToken {
        SharedToken(token: Secret(text.utf8), issuedAt: Timestamp(seconds: 0), age: age)
    }

    /// Returns the answer of `needed` as text (a token, `pending` or `unavailable`), and the maximum age of a token
    /// that the cache requests from the store, in milliseconds.
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

    /// Returns a cache that received token "a" at time 0 of the process's clock.
    private func holding(age: Int64 = 0) -> ProviderTokenCache {
        var cache = ProviderTokenCache()
        _ = cache.needed(now: 0)
        _ = cache.fetched(shared("a", age: age), now: 0)
        return cache
    }

    @Test func requestsTokenOnceAndWaits() {
        var cache = ProviderTokenCache()
        #expect(ask(&cache, at: 0) == ("pending", 25 * Self.minute))
        #expect(ask(&cache, at: 4_999) == ("pending", nil))
        #expect(ask(&cache, at: 5_000) == ("unavailable", nil), "the store must answer within 5 seconds")
        let isBack = cache.fetched(shared("a"), now: 6_000)
        #expect(!isBack)
        #expect(ask(&cache, at: 6_000) == ("a", nil))
    }

    @Test(arguments: [0, 10, 24]) func keepsTokenUntil25MinutesOld(age: Int64) {
        var cache = holding(age: age * Self.minute)
        #expect(ask(&cache, at: (25 - age) * Self.minute - 1) == ("a", nil))
        #expect(ask(&cache, at: (25 - age) * Self.minute) == ("pending", 25 * Self.minute))
    }

    /// The age counts from the time of the request, because the answer may have been slow.
    @Test func countsTokenAgeFromTimeOfRequest() {
        var cache = ProviderTokenCache()
        _ = cache.needed(now: 0)
        _ = cache.fetched(shared("a", age: 20 * Self.minute), now: 4 * Self.minute)
        guard case .token(let token) = cache.needed(now: 4 * Self.minute).0 else { Issue.record(); return }
        #expect(token.age(at: 4 * Self.minute) == 24 * Self.minute)
    }

    /// The store's clock decides whether a token is too old, and it may differ from the clock of the process.
    @Test func keepsTokenFromStoreForAtLeastFiveSeconds() {
        var cache = holding(age: 25 * Self.minute - 1)
        #expect(ask(&cache, at: 4_999) == ("a", nil))
        #expect(ask(&cache, at: 5_000) == ("pending", 25 * Self.minute))
    }

    @Test func usesTokenUntil33MinutesOldWhileStoreIsUnavailable() {
        var cache = holding()
        #expect(ask(&cache, at: 25 * Self.minute) == ("pending", 25 * Self.minute))
        let isFirst = cache.fetchFailed(now: 25 * Self.minute, random: 0)
        #expect(isFirst)
        #expect(ask(&cache, at: 25 * Self.minute) == ("a", nil))
        #expect(ask(&cache, at: 33 * Self.minute - 1) == ("a", 25 * Self.minute))
        let isFirstAgain = cache.fetchFailed(now: 33 * Self.minute - 1, random: 0)
        #expect(!isFirstAgain, "only the first failure returns true")
        #expect(ask(&cache, at: 33 * Self.minute) == ("unavailable", nil))
        #expect(ask(&cache, at: 34 * Self.minute) == ("pending", 25 * Self.minute), "the new attempt may succeed")
        let isBack = cache.fetched(shared("b"), now: 34 * Self.minute)
        #expect(isBack, "the first success after a failure returns true")
        #expect(ask(&cache, at: 34 * Self.minute) == ("b", nil))
    }

    @Test func retriesFetchAfterOneToThirtySeconds() {
        var cache = ProviderTokenCache()
        var now: Int64 = 0
        for seconds: Int64 in [1, 2, 4, 8, 16, 30, 30, 30] {
            #expect(ask(&cache, at: now).asked != nil)
            _ = cache.fetchFailed(now: now, random: 1)
            #expect(ask(&cache, at: now + seconds * 1_000 - 1) == ("unavailable", nil))
            now += seconds * 1_000
        }
    }

    @Test func withholdsRefusedTokenUntilStoreAnswers() {
        var cache = holding()
        cache.refused(Secret("a".utf8), now: Self.minute)
        #expect(ask(&cache, at: Self.minute) == ("pending", 20 * Self.minute), "a refused token is renewed earlier")
        _ = cache.fetchFailed(now: Self.minute, random: 0)
        #expect(ask(&cache, at: Self.minute) == ("unavailable", nil))
        _ = cache.needed(now: 2 * Self.minute)
        _ = cache.fetched(shared("b"), now: 2 * Self.minute)
        #expect(ask(&cache, at: 2 * Self.minute) == ("b", nil))
    }

    @Test func usesRefusedTokenConfirmedByStoreFor30Seconds() {
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

    @Test func ignoresRefusalOfAnotherToken() {
        var cache = holding()
        cache.refused(Secret("older".utf8), now: 0)
        #expect(ask(&cache, at: 0) == ("a", nil))
    }

    /// The pending request accepts a token of up to 25 minutes. After a refusal, only 20 minutes are accepted.
    @Test func fetchesAgainAfterRefusalDuringFetch() {
        var cache = holding()
        _ = cache.needed(now: 25 * Self.minute)
        cache.refused(Secret("a".utf8), now: 25 * Self.minute)
        _ = cache.fetched(shared("a", age: 24 * Self.minute), now: 25 * Self.minute)
        #expect(ask(&cache, at: 25 * Self.minute) == ("pending", 20 * Self.minute))
    }
}
