import Foundation
import PushModel
import TestSupport
import Testing

@Suite struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.001Z", 1), ("1969-12-31T23:59:59.999Z", -1),
        ("1969-12-31T23:59:59Z", -1000), ("2026-11-20T10:00:00Z", 1_795_168_800_000),
        ("2026-11-20t10:00:00z", 1_795_168_800_000), ("2026-11-20 10:00:00Z", 1_795_168_800_000),
        ("2026-11-20T10:00:00.5Z", 1_795_168_800_500), ("2026-11-20T10:00:00.12Z", 1_795_168_800_120),
        ("2026-11-20T10:00:00.123999999999Z", 1_795_168_800_123), ("2026-11-20T10:00:00+00:00", 1_795_168_800_000),
        ("2026-11-20T10:00:00-00:00", 1_795_168_800_000), ("2026-11-20T15:30:00.25+05:30", 1_795_168_800_250),
        ("2026-11-20T00:01:00-09:59", 1_795_168_800_000), ("2026-11-21T09:59:00+23:59", 1_795_168_800_000),
        ("2024-02-29T00:00:00Z", 1_709_164_800_000), ("2000-02-29T00:00:00Z", 951_782_400_000),
        ("2024-12-31T23:59:60Z", 1_735_689_600_000), ("0000-01-01T00:00:00Z", -62_167_219_200_000),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999), ("0000-02-29T00:00:00Z", -62_162_121_600_000),
    ])
    func parsesRFC3339(text: String, milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2026", "2026-11-20", "2026-11-20T10:00:00", "2026-11-20T10:00Z", "2026-11-20T10:00:00.Z",
        "2026-11-20T10:00:00,5Z", "2026-11-20T10:00:00Zx", "2026-11-20T10:00:00+01", "2026-11-20T10:00:00+0100",
        "2026-11-20T10:00:00+24:00", "2026-11-20T10:00:00+01:60", "2026-11-20T10:00:00 Z", "2026-11-20X10:00:00Z",
        "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-04-31T00:00:00Z",
        "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-01-32T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "+026-01-01T00:00:00Z", "2026-1-01T00:00:000Z",
        "20２6-01-01T00:00:00Z", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:60Z",
    ])
    func rejectsInvalidRFC3339(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (-86_400_000, "1969-12-31T00:00:00.000Z"),
            (-86_400_001, "1969-12-30T23:59:59.999Z"), (951_782_400_007, "2000-02-29T00:00:00.007Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (-62_167_219_200_001, "0000-01-01T00:00:00.000Z"), (253_402_300_800_000, "9999-12-31T23:59:59.999Z"),
            (.min, "0000-01-01T00:00:00.000Z"), (.max, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func formatsAsRFC3339(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).rfc3339 == text)
    }

    @Test(arguments: [(0, 0), (999, 0), (1000, 1), (-1, -1), (-999, -1), (-1000, -1), (-1001, -2)] as [(Int64, Int64)])
    func roundsSecondsDown(milliseconds: Int64, seconds: Int64) {
        #expect(Timestamp(milliseconds: milliseconds).seconds == seconds)
    }

    @Test func agreesWithFoundation() throws {
        var generator = SplitMix64(seed: 3339)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for _ in 0..<5000 {
            // The times begin in 1600, because Foundation uses another calendar before 1582.
            let milliseconds = Int64.random(in: -11_676_096_000_000...253_402_300_799_999, using: &generator)
            let text = Timestamp(milliseconds: milliseconds).rfc3339
            let date = try style.parse(text)
            #expect(Int64((date.timeIntervalSince1970 * 1000).rounded()) == milliseconds, "\(text)")
            #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds, "\(text)")
            let second = Date(timeIntervalSince1970: Double(milliseconds / 1000))
            #expect(Timestamp(rfc3339: second.formatted(.iso8601))?.seconds == milliseconds / 1000, "\(text)")
        }
    }

    @Test func readsBackEveryDayOfFourCenturies() {
        for day in Int64(0)..<146_097 {
            let noon = Timestamp(seconds: -30_610_224_000 + day * 86_400)  // from 1000-01-01 on
            #expect(Timestamp(rfc3339: noon.rfc3339) == noon)
        }
    }
}
