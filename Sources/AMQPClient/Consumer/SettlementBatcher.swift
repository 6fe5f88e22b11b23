/// A record of the settled deliveries of one channel. It combines acknowledgements into few frames with the `multiple`
/// flag, and prevents repeated acknowledgements. The broker closes a channel on which a delivery is acknowledged a
/// second time.
package struct SettlementBatcher: Sendable {
    package struct Acknowledgement: Sendable, Hashable {
        package let number: UInt64
        package let multiple: Bool

        package init(number: UInt64, multiple: Bool) {
            self.number = number
            self.multiple = multiple
        }
    }

    /// The lowest delivery number that is not settled.
    package private(set) var lowestOpen: UInt64 = 1
    private var settledAhead: Set<UInt64> = []
    private var batch: [UInt64] = []

    package init() {}

    /// Settles one delivery. Returns `false` if it was already settled.
    package mutating func settle(_ number: UInt64) -> Bool {
        guard number != lowestOpen else {
            lowestOpen += 1
            while !settledAhead.isEmpty, settledAhead.remove(lowestOpen) != nil { lowestOpen += 1 }
            return true
        }
        return number > lowestOpen && settledAhead.insert(number).inserted
    }

    /// Settles a delivery and all deliveries before it. Returns `false` and changes nothing if the delivery was already
    /// settled.
    package mutating func settleAll(upTo number: UInt64) -> Bool {
        guard number >= lowestOpen, !settledAhead.contains(number) else { return false }
        settledAhead = settledAhead.filter { $0 > number }
        lowestOpen = number
        return settle(number)
    }

    /// Adds an acknowledgement to the batch for ``takeBatch()``. Returns `false` if the delivery was already settled.
    package mutating func acknowledge(_ number: UInt64, multiple: Bool) -> Bool {
        guard multiple ? settleAll(upTo: number) : settle(number) else { return false }
        batch.append(number)
        return true
    }

    /// Returns the acknowledgements to send for the batch. A single acknowledgement with the `multiple` flag covers all
    /// deliveries below ``lowestOpen``. Each later delivery gets its own acknowledgement.
    package mutating func takeBatch() -> [Acknowledgement] {
        guard !batch.isEmpty else { return [] }
        var highest: UInt64 = 0
        var result: [Acknowledgement] = []
        for number in batch {
            if number < lowestOpen {
                highest = max(highest, number)
            } else {
                result.append(Acknowledgement(number: number, multiple: false))
            }
        }
        batch.removeAll(keepingCapacity: true)
        if highest > 0 { result.insert(Acknowledgement(number: highest, multiple: true), at: 0) }
        return result
    }
}
