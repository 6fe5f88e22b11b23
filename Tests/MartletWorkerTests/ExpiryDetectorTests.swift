import MartletWorker
import PushModel
import Store
import Testing
import WorkerTestSupport
import Routing

@Suite struct ExpiryDetectorTests {
    private static let end: Int64 = 1_800_000_000
    private var watch = ExpiryDetector()

    /// Returns the notices that are due the given number of hours before the credentials expire.
    private mutating func look(_ hours: Int64, _ credentials: [CredentialSummary]? = nil) -> [String] {
        watch.look(
            at: credentials ?? [.sample("1", notAfter: Timestamp(seconds: Self.end))],
            now: Timestamp(seconds: Self.end - hours * 3_600)
        ).map { "\($0.credential.id) \($0.hasExpired ? "expired" : "in") \($0.daysLeft)" }
    }

    @Test mutating func reportsEachThresholdOnce() {
        var reported: [Int64: [String]] = [:]
        for hours in stride(from: Int64(24 * 40), through: -48, by: -1) {
            let notices = look(hours)
            if !notices.isEmpty { reported[hours] = notices }
        }
        #expect(
            reported == [
                720: ["1 in 30"], 336: ["1 in 14"], 168: ["1 in 7"], 72: ["1 in 3"], 24: ["1 in 1"], 0: ["1 expired 0"],
            ])
    }

    @Test mutating func reportsOnlyLatestOfMissedThresholds() {
        #expect(look(24 * 31) == [])
        #expect(look(24 * 6) == ["1 in 6"])
        #expect(look(24 * 5) == [])
        #expect(look(-30) == ["1 expired -2"])
        #expect(look(-60) == [])
    }

    @Test mutating func repeatsNothingIfClockIsSetBack() {
        #expect(look(24 * 3) == ["1 in 3"])
        #expect(look(24 * 10) == [])
        #expect(look(24 * 2) == [])
        #expect(look(24) == ["1 in 1"])
    }

    @Test mutating func tracksThresholdsPerCredential() {
        let end = Timestamp(seconds: Self.end)
        let all: [CredentialSummary] = [
            .sample("1", notAfter: end), .sample("2", notAfter: end), .sample("never", notAfter: nil),
            .sample("retired", notAfter: end, state: .retired),
        ]
        #expect(look(24 * 14, [all[0]]) == ["1 in 14"])
        #expect(look(24 * 13, all) == ["2 in 13"])
        #expect(look(24 * 7, all) == ["1 in 7", "2 in 7"])
    }

    @Test func countsWholeDaysLeft() {
        let credential = CredentialSummary.sample("1", notAfter: Timestamp(seconds: Self.end))
        let days = [-86_401, -86_400, -1, 0, 1, 86_399, 86_400].map {
            credential.daysLeft(at: Timestamp(seconds: Self.end - $0))
        }
        #expect(days == [-2, -1, -1, 0, 0, 0, 1])
        #expect(CredentialSummary.sample("1", notAfter: nil).daysLeft(at: Timestamp(seconds: 0)) == nil)
    }
}
