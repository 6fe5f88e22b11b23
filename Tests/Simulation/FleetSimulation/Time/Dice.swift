import Foundation
import TestSupport

/// A source of random numbers for one part of a history. Each part has its own source, so that a change to one part of
/// a history does not change the random numbers of other parts.
// why: unchecked, because one thread uses the whole simulation.
package final class Dice: @unchecked Sendable {
    private var numbers: SplitMix64

    package init(seed: UInt64) {
        numbers = SplitMix64(seed: seed)
    }

    /// Creates the source for another part.
    package func fork() -> Dice { Dice(seed: numbers.next()) }

    /// Returns a number from 0 up to, but not including, 1.
    package func fraction() -> Double { Double(numbers.next() >> 11) * 0x1p-53 }

    package func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &numbers) }
    package func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }

    /// Returns a random UUID in lower case.
    package func uuid() -> String {
        func bytes(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
        let all = bytes(numbers.next()) + bytes(numbers.next())
        return all.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString.lowercased() }
    }

    /// Returns `true` with the given probability.
    package func happens(_ probability: Double) -> Bool { fraction() < probability }

    package func pick<Element>(_ elements: [Element]) -> Element { elements[number(0...(elements.count - 1))] }

    /// Returns a random time in microseconds. Times are distributed exponentially and are at most 20 times the mean.
    package func wait(mean microseconds: Int64) -> Int64 {
        Int64(min(20, -log1p(-fraction())) * Double(microseconds))
    }
}
