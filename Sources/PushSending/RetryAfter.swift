internal import Foundation
package import PushModel

/// What a `retry-after` field asks for (RFC 9110, section 10.2.3).
package enum RetryAfter {
    private static let months = "janfebmaraprmayjunjulaugsepoctnovdec"
    /// More is taken for a mistake, and for this.
    private static let longestSeconds: Int64 = 86_400

    /// - Returns: whole seconds from now on, at least 1; nil where it says nothing that can be read.
    package static func seconds(_ value: UnsafeRawBufferPointer, now: Timestamp) -> Int32? {
        let text = String(decoding: value, as: UTF8.self)
        if let seconds = Int64(text) { return seconds > 0 ? Int32(min(seconds, longestSeconds)) : nil }
        guard let end = moment(text) else { return nil }
        return Int32(min(max(1, end.seconds - now.seconds), longestSeconds))
    }

    /// Of `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that is still written.
    private static func moment(_ text: String) -> Timestamp? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", words[2].utf8.count == 3,
            let place = months.range(of: words[2].lowercased())
        else { return nil }
        let month = months.distance(from: months.startIndex, to: place.lowerBound) / 3 + 1
        return Timestamp(rfc3339: "\(words[3])-\(month < 10 ? "0" : "")\(month)-\(words[1])T\(words[4])Z")
    }
}
