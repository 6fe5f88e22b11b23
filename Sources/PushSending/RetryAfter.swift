package import PushModel

/// A parser for the `Retry-After` header field (RFC 9110, section 10.2.3).
package enum RetryAfter {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    /// The longest wait, in seconds. A longer wait is considered a mistake and is shortened to this value.
    private static let longestSeconds: Int64 = 86_400

    /// Returns the requested wait in whole seconds, from 1 to a day. Returns `nil` if the value is neither a positive
    /// number nor a date.
    package static func seconds(_ value: UnsafeRawBufferPointer, now: Timestamp) -> Int32? {
        let text = String(decoding: value, as: UTF8.self)
        if let seconds = Int64(text) { return seconds > 0 ? Int32(min(seconds, longestSeconds)) : nil }
        guard let end = moment(text) else { return nil }
        return Int32(min(max(1, end.seconds - now.seconds), longestSeconds))
    }

    /// Parses a date such as `Sun, 06 Nov 1994 08:49:37 GMT`, the only format that servers may generate (RFC 9110,
    /// section 5.6.7).
    private static func moment(_ text: String) -> Timestamp? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let index = months.firstIndex(of: words[2].lowercased()) else {
            return nil
        }
        let month = index + 1
        return Timestamp(rfc3339: "\(words[3])-\(month < 10 ? "0" : "")\(month)-\(words[1])T\(words[4])Z")
    }
}
