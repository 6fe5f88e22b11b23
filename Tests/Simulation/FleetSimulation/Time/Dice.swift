import Foundation
import TestSupport

/// The random numbers of one part of a history. Each part has its own numbers, so that a change to one part of a scenario
/// leaves the decisions of the others unchanged.
// why: unchecked, because one thread uses the whole simulation.
package final class Dice: @unchecked Sendable {
    private var numbers: SplitMix64

    package init(seed: UInt64) {
        numbers = SplitMix64(seed: seed)
    }

    /// Creates the numbers of another part.
    package func fork() -> Dice { Dice(seed: numbers.next()) }

    /// Returns a number from 0 up to, but not including, 1.
    package func fraction() -> Double { Double(numbers.next() >> 11) * 0x1p-53 }

    package func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &numbers) }
    package func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }

    /// Returns a UUID.
    package func uuid() -> String {
        func bytes(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
        let all = bytes(numbers.next()) + bytes(numbers.next())
        return all.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString.lowercased() }
    }

    /// Returns `true` with a probability.
    package func happens(_ probability: Double) -> Bool { fraction() < probability }

    package func pick<Element>(_ elements: [Element]) -> Element { elements[number(0...(elements.count - 1))] }

    /// Returns a time in microseconds with an exponential distribution around a mean, at most twenty times the mean.
    package func wait(mean microseconds: Int64) -> Int64 {
        Int64(min(20, -log1p(-fraction())) * Double(microseconds))
    }
}
