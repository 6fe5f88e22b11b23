import Foundation

/// A moment in whole milliseconds since 1970-01-01T00:00:00Z. Its text form is RFC 3339.
public struct Timestamp: Sendable, Hashable, Comparable {
    public let milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    public init(seconds: Int64) {
        self.milliseconds = seconds * 1000
    }

    public var seconds: Int64 { milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000 }

    /// The system clock's time.
    package static var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.milliseconds < rhs.milliseconds }
}

extension Timestamp {
    /// The moments that RFC 3339 can express: the years 0000 to 9999, in UTC.
    package static let representable =
        Timestamp(seconds: -62_167_219_200)...Timestamp(milliseconds: 253_402_300_799_999)

    /// Creates a moment from an RFC 3339 date-time with any offset. Fractions of a second are cut to milliseconds.
    /// Returns `nil` for other strings, and for moments outside the years 0000 to 9999 in UTC.
    public init?(rfc3339 text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count else { return nil }
            var value: Int64 = 0
            for byte in bytes[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            return value
        }
        guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] | 0x20 == UInt8(ascii: "t") || bytes[10] == UInt8(ascii: " "),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            (1...12).contains(month), (1...Self.days(inMonth: month, year: year)).contains(day),
            hour < 24, minute < 60, second <= 60
        else { return nil }

        var index = 19
        var fraction: Int64 = 0
        if bytes[index] == UInt8(ascii: ".") {
            index += 1
            let start = index
            while index < bytes.count, let digit = number(index..<index + 1) {
                if index - start < 3 { fraction = fraction * 10 + digit }
                index += 1
            }
            guard index > start else { return nil }
            for _ in min(index - start, 3)..<3 { fraction *= 10 }
        }
        guard index < bytes.count else { return nil }
        var offsetMinutes: Int64 = 0
        switch bytes[index] {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"):
            guard index + 1 == bytes.count else { return nil }
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            guard index + 6 == bytes.count, bytes[index + 3] == UInt8(ascii: ":"),
                let hours = number(index + 1..<index + 3), let minutes = number(index + 4..<index + 6),
                hours < 24, minutes < 60
            else { return nil }
            offsetMinutes = (hours * 60 + minutes) * (bytes[index] == UInt8(ascii: "-") ? -1 : 1)
        default: return nil
        }
        let days = Self.daysSinceEpoch(year: year, month: month, day: day)
        let minutes = days * 1440 + hour * 60 + minute - offsetMinutes
        self.init(milliseconds: (minutes * 60 + second) * 1000 + fraction)
        guard Self.representable.contains(self) else { return nil }
    }

    /// Appends the moment as `2026-11-20T10:00:00.123Z`. A moment outside ``representable`` is replaced by the nearest
    /// moment in that range.
    package func appendRFC3339(to output: inout [UInt8]) {
        guard Self.representable.contains(self) else {
            let nearest = min(max(self, Self.representable.lowerBound), Self.representable.upperBound)
            return nearest.appendRFC3339(to: &output)
        }
        let second = seconds
        let days = second >= 0 ? second / 86_400 : (second - 86_399) / 86_400
        let (year, month, day) = Self.civil(daysSinceEpoch: days)
        let inDay = second - days * 86_400
        func append(_ value: Int64, digits: Int) {
            var divisor: Int64 = 1
            for _ in 1..<digits { divisor *= 10 }
            while divisor > 0 {
                output.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
                divisor /= 10
            }
        }
        append(year, digits: 4)
        output.append(UInt8(ascii: "-"))
        append(month, digits: 2)
        output.append(UInt8(ascii: "-"))
        append(day, digits: 2)
        output.append(UInt8(ascii: "T"))
        append(inDay / 3600, digits: 2)
        output.append(UInt8(ascii: ":"))
        append(inDay / 60 % 60, digits: 2)
        output.append(UInt8(ascii: ":"))
        append(inDay % 60, digits: 2)
        output.append(UInt8(ascii: "."))
        append(milliseconds - second * 1000, digits: 3)
        output.append(UInt8(ascii: "Z"))
    }

    public var rfc3339: String {
        var bytes: [UInt8] = []
        appendRFC3339(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    // The following functions use the proleptic Gregorian calendar in eras of 400 years. An era begins on 1 March, so
    // that the leap day is the last day of a year.

    private static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(daysSinceEpoch days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func days(inMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
