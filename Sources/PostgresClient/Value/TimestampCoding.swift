/// PostgreSQL's binary `timestamptz`: microseconds since 2000-01-01 (PostgreSQL source, `timestamp.h`).
enum TimestampCoding {
    private static let millisecondsTo2000: Int64 = 946_684_800_000

    /// nil for a time that a `timestamptz` can't hold.
    static func encode(milliseconds: Int64) -> Int64? {
        let (shifted, underflow) = milliseconds.subtractingReportingOverflow(millisecondsTo2000)
        let (microseconds, overflow) = shifted.multipliedReportingOverflow(by: 1000)
        return underflow || overflow ? nil : microseconds
    }

    /// nil for `infinity` and `-infinity`.
    static func milliseconds(_ encoded: Int64) -> Int64? {
        guard encoded != .max, encoded != .min else { return nil }
        // rounds down, so that a time before 2000 does not come out later than it was
        let milliseconds = encoded >= 0 ? encoded / 1000 : (encoded - 999) / 1000
        return milliseconds + millisecondsTo2000
    }
}
