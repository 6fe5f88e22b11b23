import Foundation
import PushModel

/// The time axis of a chart.
struct ChartAxis {
    private static let width = 3_600.0

    /// The number of intervals.
    let slots: Int
    let start: Timestamp
    let slotSeconds: Int
    /// The elapsed part of the last interval, from 0 to 1.
    let lastPart: Double
    /// The position, in intervals, before which values may be incomplete, or `nil` if all values are complete.
    let completeFrom: Double?

    /// Returns the horizontal position of the middle of an interval's elapsed part, in intervals.
    func middle(of place: Int) -> Double { Double(place) + (place == slots - 1 ? lastPart : 1) / 2 }

    func x(_ place: Double) -> Tenths { Tenths(place / Double(max(1, slots)) * Self.width) }

    /// Returns the time of day at which an interval starts, in UTC.
    func clock(_ place: Int) -> String {
        let minutes = Int((start.seconds + Int64(place * slotSeconds)) / 60 % 1_440)
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(padded(minutes / 60)):\(padded(minutes % 60))"
    }
}

/// The scale of a plot's values.
enum ChartScale {
    /// A linear scale from 0 to the given value.
    case linear(Double)
    /// A logarithmic scale of milliseconds. The bounds are exponents of ten.
    case logarithmic(lowest: Int, highest: Int)

    /// Returns a logarithmic scale that covers the given values, which are in milliseconds.
    static func logarithmic(for values: [Double?]) -> Self {
        let values = values.compactMap { $0 }.filter { $0 > 0 && $0.isFinite }
        guard let least = values.min(), let most = values.max() else { return .logarithmic(lowest: 1, highest: 3) }
        let lowest = Int(log10(least).rounded(.down))
        return .logarithmic(lowest: lowest, highest: max(Int(log10(most).rounded(.up)), lowest + 1))
    }

    /// Returns the height of a value as a share of the plot's height, from 0 to 1.
    func share(of value: Double) -> Double {
        guard value.isFinite else { return 0 }
        switch self {
        case .linear(let top): return top > 0 ? min(max(0, value / top), 1) : 0
        case .logarithmic(let lowest, let highest):
            guard value > 0 else { return 0 }
            return min(max(0, (log10(value) - Double(lowest)) / Double(max(1, highest - lowest))), 1)
        }
    }

    /// The values at which a plot has horizontal lines, with their labels. A linear scale has none.
    var ticks: [(value: Double, text: String)] {
        guard case .logarithmic(let lowest, let highest) = self else { return [] }
        return (lowest..<max(lowest + 1, highest)).map { power in
            let value = pow(10, Double(power))
            return (value, value < 1_000 ? "\(Int(value)) ms" : "\(Int(value / 1_000)) s")
        }
    }
}
