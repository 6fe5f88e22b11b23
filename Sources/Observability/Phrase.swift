import Foundation

/// Formatters of numbers and durations for display.
package enum Phrase {
    /// Returns a number with thousands separators, such as `12,345`.
    package static func figure(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = number < 0 ? "-" : ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    /// Returns a rate such as `12,345`. A rate below 10 has one decimal, such as `0.4`.
    package static func rate(_ number: Double) -> String {
        let isSmall = number > 0 && number < 10
        return isSmall ? "\((number * 10).rounded() / 10)" : figure(Int(exactly: number.rounded()) ?? 0)
    }

    /// Returns a number with a noun, such as `1 job` or `2 jobs`.
    package static func count(_ number: Int, _ word: String) -> String {
        "\(figure(number)) \(word)\(number == 1 ? "" : "s")"
    }

    /// Returns a duration such as `45 s`, `12 min`, `2 h 10 min` or `3 d 4 h`.
    package static func duration(_ seconds: Int) -> String {
        let seconds = max(0, seconds)
        switch seconds {
        case ..<120: return "\(seconds) s"
        case ..<7_200: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3_600) h \(seconds / 60 % 60) min"
        default: return "\(seconds / 86_400) d \(seconds / 3_600 % 24) h"
        }
    }

    /// Returns a duration such as `75 ms` or `2.5 s`.
    package static func milliseconds(_ milliseconds: Int) -> String {
        switch milliseconds {
        case ..<1_000: "\(milliseconds) ms"
        case ..<10_000: "\(Double(milliseconds / 100) / 10) s"
        default: duration(milliseconds / 1_000)
        }
    }

    /// Returns the first three names, and the number of further names.
    package static func list(_ names: [String]) -> String {
        let shown = names.prefix(3).joined(separator: ", ")
        return names.count > 3 ? "\(shown) and \(figure(names.count - 3)) more" : shown
    }
}
