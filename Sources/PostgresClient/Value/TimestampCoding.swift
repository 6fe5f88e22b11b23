/// The binary format of `timestamptz`: microseconds since 2000-01-01 (PostgreSQL source, `timestamp.h`).
enum TimestampCoding {
    private static let millisecondsTo2000: Int64 = 946_684_800_000

    /// Returns the encoded time, or `nil` if it does not fit into 64 bits.
    static func encode(milliseconds: Int64) -> Int64? {
        let (shifted, underflow) = milliseconds.subtractingReportingOverflow(millisecondsTo2000)
        let (microseconds, overflow) = shifted.multipliedReportingOverflow(by: 1000)
        return underflow || overflow ? nil : microseconds
    }

    /// Returns the time in milliseconds since 1970, or `nil` for `infinity` and `-infinity`.
    static func milliseconds(_ encoded: Int64) -> Int64? {
        guard encoded != .max, encoded != .min else { return nil }
        // Rounding down ensures that the result is never later than the encoded time, even before 2000.
        let milliseconds = encoded >= 0 ? encoded / 1000 : (encoded - 999) / 1000
        return milliseconds + millisecondsTo2000
    }
}
