import FCMOutput
import PushModel
import Testing

@Suite struct AccessTokenCacheTests {
    private static let one = Secret("one".utf8), other = Secret("other".utf8)
    private static let invalid = TokenRefusal("invalid_grant", "Invalid JWT Signature.")

    private func held(_ token: Secret = one, lifetime: Int64 = 3_600) -> AccessTokenCache {
        var cache = AccessTokenCache()
        _ = cache.needed(now: 0)
        _ = cache.fetched(.token(token, lifetimeSeconds: lifetime), now: 100, random: 0)
        return cache
    }

    @Test func startsOneFetchAtATime() {
        var cache = AccessTokenCache()
        var fetches: [Bool] = []
        for now: Int64 in [0, 1, 7_999] { fetches.append(cache.needed(now: now).fetches) }
        #expect(fetches == [true, false, false])
        let answer = cache.needed(now: 7_999).answer
        #expect(answer == .pending)
    }

    @Test func reportsSilentEndpointAsUnavailable() {
        var cache = AccessTokenCache()
        _ = cache.needed(now: 0)
        let answer = cache.needed(now: 8_000).answer
        #expect(answer == .unavailable("the token endpoint does not answer"))
    }

    /// The 30 seconds begin when a push finds no usable token, and do not depend on the number of pushes.
    @Test func reportsEndpointUnreachableAfter30Seconds() {
        var cache = held()
        _ = cache.needed(now: 3_400_000)
        let isTold = cache.fetched(.failed("Connection refused"), now: 3_400_100, random: 1)
        _ = cache.needed(now: 3_500_000)
        let isToldAgain = cache.fetched(.failed("Connection refused"), now: 3_500_100, random: 1)
        #expect(isTold && isToldAgain, "each failure must be reported, so that the latest reason is known")
        #expect(!cache.isUnreachable(now: 3_580_000))
        _ = cache.needed(now: 3_590_000)
        _ = cache.fetched(.failed("Connection refused"), now: 3_590_100, random: 1)
        _ = cache.needed(now: 3_590_100)
        #expect(!cache.isUnreachable(now: 3_620_099) && cache.isUnreachable(now: 3_620_100))
        _ = cache.needed(now: 3_690_000)
        _ = cache.fetched(.refused(Self.invalid), now: 3_690_100, random: 0)
        #expect(!cache.isUnreachable(now: 3_700_000), "the endpoint answers, so it counts as reachable")
    }

    @Test(arguments: [(0.0, 3_289_999, 3_290_000), (1.0, 3_229_999, 3_230_000)])
    func renewsTokenBeforeExpiry(random: Double, before: Int64, from: Int64) {
        var cache = AccessTokenCache()
        _ = cache.needed(now: 0)
        _ = cache.fetched(.token(Self.one, lifetimeSeconds: 3_600), now: 100, random: random)
        let first = cache.needed(now: before)
        #expect(first.answer == .token(Self.one) && !first.fetches)
        let second = cache.needed(now: from)
        #expect(second.answer == .token(Self.one) && second.fetches)
    }

    @Test func renewsShortLivedTokenAtHalfOfLifetime() {
        var cache = held(lifetime: 60)
        let first = cache.needed(now: 29_999), second = cache.needed(now: 30_000), third = cache.needed(now: 50_000)
        #expect(!first.fetches && second.fetches)
        #expect(second.answer == .token(Self.one))
        #expect(third.answer == .unavailable("the token endpoint does not answer"))
    }

    @Test func usesOldTokenWhileRenewalFails() {
        var cache = held()
        _ = cache.needed(now: 3_400_000)
        let isNews = cache.fetched(.failed("status 503"), now: 3_400_100, random: 1)
        #expect(isNews)
        let before = cache.needed(now: 3_401_099), after = cache.needed(now: 3_401_100),
            ended = cache.needed(now: 3_590_000)
        #expect(before.answer == .token(Self.one) && !before.fetches)
        #expect(after.answer == .token(Self.one) && after.fetches)
        #expect(ended.answer == .unavailable("status 503"))
    }

    @Test func replacesTokenRefusedByFCMOnce() {
        var cache = held()
        cache.refused(Self.other, now: 200)
        let good = cache.needed(now: 200)
        #expect(good.answer == .token(Self.one) && !good.fetches)
        cache.refused(Self.one, now: 300)
        let asked = cache.needed(now: 300), again = cache.needed(now: 301)
        #expect(asked.answer == .pending && asked.fetches && !again.fetches)
        _ = cache.fetched(.token(Self.other, lifetimeSeconds: 3_600), now: 400, random: 0)
        cache.refused(Self.one, now: 500)
        // For ten seconds, a refusal may be the answer to a request that was sent with the previous token.
        cache.refused(Self.other, now: 10_399)
        let new = cache.needed(now: 10_399)
        #expect(new.answer == .token(Self.other) && !new.fetches)
        cache.refused(Self.other, now: 10_400)
        let newest = cache.needed(now: 10_400)
        #expect(newest.answer == .pending && newest.fetches)
    }

    @Test func retriesRefusedAccountWithGrowingBackoff() {
        var cache = AccessTokenCache()
        _ = cache.needed(now: 0)
        let isNews = cache.fetched(.refused(Self.invalid), now: 100, random: 1)
        let soon = cache.needed(now: 15_099)
        #expect(isNews && soon.answer == .refused(Self.invalid) && !soon.fetches)
        #expect(cache.pause(now: 100) == 15 && cache.pause(now: 15_099) == 1)
        let later = cache.needed(now: 15_100)
        #expect(later.answer == .pending && later.fetches)
        let isNewsAgain = cache.fetched(.refused(Self.invalid), now: 15_200, random: 1)
        let before = cache.needed(now: 45_199), after = cache.needed(now: 45_200)
        #expect(!isNewsAgain && !before.fetches && after.fetches)
        let isGood = cache.fetched(.token(Self.one, lifetimeSeconds: 3_600), now: 45_300, random: 0)
        let good = cache.needed(now: 45_300)
        #expect(isGood && good.answer == .token(Self.one))
    }

    /// While an account stays refused, two hours of pushes cause only a few token requests.
    @Test func backsOffToFifteenMinutesOnRefusals() {
        var cache = AccessTokenCache()
        var asked: [Int64] = []
        for now in stride(from: 0, to: 7_200_000, by: 1_000) as StrideTo<Int64> where cache.needed(now: now).fetches {
            asked.append(now / 1_000)
            _ = cache.fetched(.refused(Self.invalid), now: now, random: 1)
        }
        #expect(asked == [0, 15, 45, 105, 225, 465, 945, 1_845, 2_745, 3_645, 4_545, 5_445, 6_345])
        var jittered = AccessTokenCache()
        _ = jittered.needed(now: 0)
        _ = jittered.fetched(.refused(Self.invalid), now: 0, random: 0)
        #expect(jittered.pause(now: 0) == 12)
    }

    @Test func renewsOnlyTokenInUse() {
        var cache = AccessTokenCache()
        func renews(_ times: Int64...) -> [Bool] { times.map { cache.renews(now: $0) } }
        #expect(renews(0, 1_000_000) == [false, false])
        _ = cache.needed(now: 0)
        _ = cache.fetched(.refused(Self.invalid), now: 100, random: 1)
        #expect(renews(15_100, 1_000_000) == [false, false])
        cache = held()
        #expect(renews(3_289_999, 3_290_000, 3_290_001) == [false, true, false])
        // A refused renewal backs off, too, and the token stays in use.
        _ = cache.fetched(.refused(Self.invalid), now: 3_290_100, random: 1)
        #expect(renews(3_305_099, 3_305_100) == [false, true])
        let inUse = cache.needed(now: 3_305_100)
        #expect(inUse.answer == .token(Self.one))
        _ = cache.fetched(.refused(Self.invalid), now: 3_305_100, random: 1)
        #expect(renews(3_590_000) == [false], "an expired token is not renewed ahead")
        cache = held()
        cache.refused(Self.one, now: 200)
        #expect(renews(3_290_000) == [false] && !cache.hasToken(now: 300))
    }

    @Test(arguments: [
        (
            200, #"{"access_token":"ya29.x","expires_in":3599,"token_type":"Bearer"}"#,
            TokenAnswer.token(Secret("ya29.x".utf8), lifetimeSeconds: 3_599)
        ),
        (200, #"{"access_token":"ya29.x"}"#, .token(Secret("ya29.x".utf8), lifetimeSeconds: 3_600)),
        (
            200, #"{"id_token":"x"}"#,
            .refused(TokenRefusal("no_access_token", "the token endpoint returned no access token"))
        ),
        (200, "<html>", .failed("the answer is not from a token endpoint: status 200 without JSON")),
        (200, #"{"access_token":"x","expires_in":59}"#, .failed("the access token is valid for only 59.0 s")),
        (
            200, #"{"access_token":"x","expires_in":9223372036854775807}"#,
            .token(Secret("x".utf8), lifetimeSeconds: 86_400)
        ),
        (
            200, #"{"access_token":"x","expires_in":"3599"}"#,
            .failed("the answer is not from a token endpoint: status 200 without JSON")
        ),
        (
            400, "{\"error\":\"\(String(repeating: "x", count: 90)) y\"}",
            .refused(TokenRefusal(String(repeating: "x", count: 64) + "…", ""))
        ),
        (200, #"{"access_token":"a\nb"}"#, .failed("the access token is not a valid header value")),
        (400, #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#, .refused(invalid)),
        (400, #"{"error":"invalid_scope"}"#, .refused(TokenRefusal("invalid_scope", ""))),
        (401, "<html>", .refused(TokenRefusal("Status401", ""))), (404, "", .refused(TokenRefusal("Status404", ""))),
        (429, "", .failed("status 429")), (408, "", .failed("status 408")), (503, "<html>", .failed("status 503")),
        (500, #"{"error":"internal_failure"}"#, .failed("status 500, internal_failure")),
    ])
    func readsAnswersOfTokenEndpoint(status: Int, body: String, answer: TokenAnswer) {
        #expect(TokenAnswer(status: status, body: Array(body.utf8)) == answer)
    }
}
