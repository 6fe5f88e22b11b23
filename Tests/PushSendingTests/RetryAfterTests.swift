import PushModel
import PushSending
import Testing

@Suite struct RetryAfterTests {
    @Test(
        arguments: [
            ("120", 120), ("1", 1), ("0", nil), ("-5", nil), ("", nil), ("soon", nil), ("1.5", nil),
            ("99999999999", 86_400), ("Sat, 21 Nov 2026 10:01:30 GMT", 90), ("Sat, 21 Nov 2026 09:00:00 GMT", 1),
            ("Sat, 21 Nov 2026 10:01:30 CET", nil), ("Sat, 21 Foo 2026 10:01:30 GMT", nil),
            ("Sat, 21 Anf 2026 10:01:30 GMT", nil),
        ] as [(String, Int32?)])
    func readsSecondsAndDates(text: String, seconds: Int32?) throws {
        let now = try #require(Timestamp(rfc3339: "2026-11-21T10:00:00Z"))
        let read = Array(text.utf8).withUnsafeBytes { RetryAfter.seconds($0, now: now) }
        #expect(read == seconds)
    }
}
