/// The pending settlements of all open jobs, which determine when a job may be acknowledged.
///
/// Each delivery is an entry with one pending settlement for each recipient. A settlement is completed when the broker
/// confirms the recipient's result event or retry, or at once if there is nothing to publish. A rejection event or a
/// chunk adds one settlement. A group is the set of settlements that one message completes when the broker confirms it.
/// A value type without clock or I/O.
///
/// | entry | next |
/// |---|---|
/// | open, with n > 0 pending | open, with n - k pending, when a group with k of its settlements is completed |
/// | open, with 0 pending | settled: returned once for acknowledgement; its place is reused under another id |
///
/// A late report for a settled entry, such as an outcome that an output reports twice, therefore does not affect
/// another job.
package struct PendingSettlements<Delivery> {
    /// The settlements of one entry that belong to a group.
    package struct Share {
        package let entry: Int
        package var count: Int

        package init(entry: Int, count: Int) {
            self.entry = entry
            self.count = count
        }
    }

    private struct Entry {
        let id: Int
        let delivery: Delivery
        var owing: Int
    }

    private var entries: [Entry?] = []
    private var freePlaces: [Int] = []
    /// The number of entries that have ever been opened. This number is the upper half of an entry's id, and the
    /// entry's place is the lower half.
    private var opened = 0
    private var groups: [UInt64: [Share]] = [:]

    package init() {}

    package var openEntries: Int { entries.count - freePlaces.count }
    package var openGroups: Int { groups.count }
    /// The number of pending settlements, over all entries.
    package private(set) var owing = 0

    /// Opens an entry with a number of pending settlements, which must be at least one. Returns the id of the entry.
    package mutating func open(_ delivery: Delivery, obligations: Int) -> Int {
        owing += obligations
        opened += 1
        let place = freePlaces.popLast() ?? entries.count
        if place == entries.count { entries.append(nil) }
        let id = (opened & 0x7FFF_FFFF) << 32 | place
        entries[place] = Entry(id: id, delivery: delivery, owing: obligations)
        return id
    }

    /// Returns the place of an entry, or `nil` if the entry is not open.
    private func place(of id: Int) -> Int? {
        let place = id & 0xFFFF_FFFF
        return entries.indices.contains(place) && entries[place]?.id == id ? place : nil
    }

    /// Returns the delivery of an entry, or `nil` if the entry is not open.
    package func delivery(of entry: Int) -> Delivery? { place(of: entry).flatMap { entries[$0]?.delivery } }

    /// The deliveries of all open entries.
    package var openDeliveries: some Sequence<Delivery> { entries.lazy.compactMap { $0?.delivery } }

    /// Returns the number of pending settlements in an entry, or 0 if the entry is not open.
    package func owing(of entry: Int) -> Int { place(of: entry).flatMap { entries[$0]?.owing } ?? 0 }

    /// Returns all pending settlements of an entry.
    package func rest(of entry: Int) -> Share { .init(entry: entry, count: owing(of: entry)) }

    /// Sets the number of pending settlements of an open entry, which must be at least one.
    package mutating func owe(_ entry: Int, _ obligations: Int) { oweMore(entry, obligations - owing(of: entry)) }

    /// Adds pending settlements to an open entry. A settled entry is ignored.
    package mutating func oweMore(_ entry: Int, _ count: Int = 1) {
        guard let place = place(of: entry) else { return }
        entries[place]?.owing += count
        owing += count
    }

    /// Records the settlements that a message completes when the broker confirms it. The `id` of the message must not
    /// be in use.
    package mutating func expect(group id: UInt64, for shares: [Share]) {
        groups[id] = shares
    }

    /// Returns the settlements of a group.
    package func shares(of id: UInt64) -> [Share] { groups[id] ?? [] }

    /// Completes the settlements of a group, and returns the deliveries that are settled as a result. Unknown ids are
    /// ignored, because a confirm may arrive twice around a reconnection.
    package mutating func met(group id: UInt64) -> [Delivery] {
        guard let shares = groups.removeValue(forKey: id) else { return [] }
        return shares.compactMap { met($0) }
    }

    /// Completes settlements that need no message, such as `sent` outcomes of a job whose `results` is `problems`.
    /// Returns the delivery if it is settled as a result, and `nil` otherwise.
    package mutating func met(_ share: Share) -> Delivery? {
        guard let place = place(of: share.entry), var entry = entries[place] else { return nil }
        // The number is limited to the pending settlements, because an output may report a recipient twice.
        let met = min(share.count, entry.owing)
        entry.owing -= met
        owing -= met
        guard entry.owing == 0 else {
            entries[place] = entry
            return nil
        }
        entries[place] = nil
        freePlaces.append(place)
        return entry.delivery
    }
}
