import APNSOutput
import PushModel
import Testing

@Suite struct ConnectionTokenTests {
    private static let minute: Int64 = 60_000
    private let first = ProviderToken(token: Secret("first".utf8), issuedAt: 0)
    private let second = ProviderToken(token: Secret("second".utf8), issuedAt: 25 * minute)

    @Test func isUnusableWithoutToken() {
        let token = ConnectionToken()
        #expect(!token.isUsable(now: 0))
        #expect(token.mayChange(now: 0))
    }

    @Test func keepsTokenFor21MinutesFromFirstUse() {
        var token = ConnectionToken()
        let isNew = token.take(first)
        #expect(isNew)
        token.used(now: 10 * Self.minute)
        token.used(now: 20 * Self.minute)
        #expect(!token.mayChange(now: 31 * Self.minute - 1))
        #expect(token.mayChange(now: 31 * Self.minute))
        let hasChanged = token.take(second)
        #expect(hasChanged)
        token.used(now: 31 * Self.minute)
        #expect(!token.mayChange(now: 52 * Self.minute - 1))
    }

    @Test func allowsChangeOfUnusedToken() {
        var token = ConnectionToken()
        _ = token.take(first)
        #expect(token.mayChange(now: Self.minute))
        let hasChanged = token.take(second)
        #expect(hasChanged)
        #expect(token.held?.token == second.token)
    }

    @Test func treatsSameTokenAsUnchanged() {
        var token = ConnectionToken()
        _ = token.take(first)
        token.used(now: 0)
        let isAnother = token.take(first)
        #expect(!isAnother)
        token.used(now: 22 * Self.minute)
        #expect(token.mayChange(now: 22 * Self.minute), "the 21 minutes must count from the first use")
    }

    @Test func allowsFirstUseUntil33MinutesAndLaterUseUntil54Minutes() {
        var token = ConnectionToken()
        _ = token.take(first)
        #expect(token.isUsable(now: 33 * Self.minute - 1))
        #expect(!token.isUsable(now: 33 * Self.minute))
        token.used(now: 33 * Self.minute - 1)
        #expect(token.isUsable(now: 54 * Self.minute - 1))
        #expect(!token.isUsable(now: 54 * Self.minute))
    }
}
