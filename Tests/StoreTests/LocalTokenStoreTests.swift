import PushModel
import Store
import Testing
import Foundations

@Suite struct LocalTokenStoreTests {
    /// A clock that the test sets, in minutes.
    private final class Clock: Sendable {
        private let minutes = Mutex(0.0)
        var now: Timestamp { Timestamp(milliseconds: 1_795_168_800_000 + Int64(minutes.withLock { $0 } * 60_000)) }
        func set(_ minutes: Double) { self.minutes.withLock { $0 = minutes } }
    }

    private let clock = Clock()
    private let tokens: LocalTokenStore

    init() {
        tokens = LocalTokenStore { [clock] in clock.now }
    }

    private func token(at minutes: Double, of credential: String = "1") throws -> String {
        clock.set(minutes)
        return try tokens.token(of: credential, youngerThan: 25 * 60_000) {
            Secret("\(credential) \($0.seconds)".utf8)
        }.token.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    @Test func keepsTokenFor25Minutes() throws {
        let first = try token(at: 0)
        #expect(try token(at: 24.99) == first)
        let second = try token(at: 25)
        #expect(second != first)
        #expect(try token(at: 49.9) == second)
        #expect(try token(at: 60 * 24) != second)
    }

    @Test func keepsOneTokenPerCredential() throws {
        #expect(try token(at: 0, of: "1") != token(at: 0, of: "2"))
    }

    @Test func keepsTokenIfClockIsSetBackSlightly() throws {
        let first = try token(at: 0)
        #expect(try token(at: -24) == first)
        let second = try token(at: -25)
        #expect(second != first, "a clock set back by 25 minutes must renew the token")
        #expect(try token(at: -24) == second)
    }

    @Test func returnsAgeOfToken() throws {
        _ = try token(at: 0)
        clock.set(7)
        let known = try tokens.token(of: "1", youngerThan: 25 * 60_000) { _ in Secret([]) }
        #expect(known.age == 7 * 60_000)
        #expect(known.issuedAt == Timestamp(milliseconds: clock.now.milliseconds - 7 * 60_000))
    }
}
