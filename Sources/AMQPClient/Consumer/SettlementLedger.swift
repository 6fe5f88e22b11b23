/// Which deliveries of one channel are settled, so that acknowledgements can be sent as few multiples, and none twice:
/// the broker closes a channel on which a delivery is acknowledged a second time.
package struct SettlementLedger: Sendable {
    package struct Acknowledgement: Sendable, Hashable {
        package let number: UInt64
        package let multiple: Bool

        package init(number: UInt64, multiple: Bool) {
            self.number = number
            self.multiple = multiple
        }
    }

    /// Everything below is settled.
    package private(set) var lowestOpen: UInt64 = 1
    private var settledAhead: Set<UInt64> = []
    private var batch: [UInt64] = []

    package init() {}

    /// Settles one delivery. Returns false if it was settled before.
    package mutating func settle(_ number: UInt64) -> Bool {
        guard number != lowestOpen else {
            lowestOpen += 1
            while !settledAhead.isEmpty, settledAhead.remove(lowestOpen) != nil { lowestOpen += 1 }
            return true
        }
        return number > lowestOpen && settledAhead.insert(number).inserted
    }

    /// Settles it and all before. Returns false if it was settled before, which leaves the earlier ones as they are.
    package mutating func settleAll(upTo number: UInt64) -> Bool {
        guard number >= lowestOpen, !settledAhead.contains(number) else { return false }
        settledAhead = settledAhead.filter { $0 > number }
        lowestOpen = number
        return settle(number)
    }

    /// Adds one acknowledgement to the batch that ``takeBatch()`` will hand out. Returns false if it was settled before.
    package mutating func acknowledge(_ number: UInt64, multiple: Bool) -> Bool {
        guard multiple ? settleAll(upTo: number) : settle(number) else { return false }
        batch.append(number)
        return true
    }

    /// The batch as the broker must hear it: one multiple for all that ended up in the settled stretch at the front.
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
