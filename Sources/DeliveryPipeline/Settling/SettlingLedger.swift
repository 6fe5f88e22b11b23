/// Says when a job may be acknowledged: once everything that became of its recipients is safe.
///
/// Each delivery is an entry that owes one obligation per recipient (its event confirmed, or its retry
/// confirmed, or nothing to report) and one more for each dead token (its mark committed). Obligations are
/// met in groups: a group stands for one message awaiting its confirm or one statement awaiting its commit.
/// A value without clock or I/O; events go in, the deliveries that are settled come out.
///
/// | entry | goes to |
/// |---|---|
/// | open, owing n > 0 | open, owing n - k, when a group of k of its obligations is met |
/// | open, owing 0 | settled: handed out once for acknowledgement, its place is used again under another id |
///
/// So what is told of an entry after it has been settled, such as an outcome that an output reports twice, meets nothing
/// of another job's.
package struct SettlingLedger<Delivery> {
    /// How many obligations of one entry a group stands for.
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
    /// Of those that were ever opened; the upper half of an entry's id, above its place.
    private var opened = 0
    private var groups: [UInt64: [Share]] = [:]

    package init() {}

    package var openEntries: Int { entries.count - freePlaces.count }
    package var openGroups: Int { groups.count }
    /// Obligations not yet met, over all entries.
    package private(set) var owing = 0

    /// Opens an entry that owes one obligation per recipient; `obligations` is at least 1.
    package mutating func open(_ delivery: Delivery, obligations: Int) -> Int {
        owing += obligations
        opened += 1
        let place = freePlaces.popLast() ?? entries.count
        if place == entries.count { entries.append(nil) }
        let id = (opened & 0x7FFF_FFFF) << 32 | place
        entries[place] = Entry(id: id, delivery: delivery, owing: obligations)
        return id
    }

    /// Where an entry is that is still open.
    private func place(of id: Int) -> Int? {
        let place = id & 0xFFFF_FFFF
        return entries.indices.contains(place) && entries[place]?.id == id ? place : nil
    }

    /// The delivery of an open entry.
    package func delivery(of entry: Int) -> Delivery? { place(of: entry).flatMap { entries[$0]?.delivery } }

    /// Those of all open entries.
    package var openDeliveries: some Sequence<Delivery> { entries.lazy.compactMap { $0?.delivery } }

    /// What is left to meet of an entry.
    package func owing(of entry: Int) -> Int { place(of: entry).flatMap { entries[$0]?.owing } ?? 0 }

    /// Everything that is left to meet of an entry.
    package func rest(of entry: Int) -> Share { .init(entry: entry, count: owing(of: entry)) }

    /// From now on an open entry owes so many obligations, at least one.
    package mutating func owe(_ entry: Int, _ obligations: Int) { oweMore(entry, obligations - owing(of: entry)) }

    /// Adds obligations to an open entry; a settled one owes nothing any more.
    package mutating func oweMore(_ entry: Int, _ count: Int = 1) {
        guard let place = place(of: entry) else { return }
        entries[place]?.owing += count
        owing += count
    }

    /// Records what a message or statement stands for; `id` must not be in use.
    package mutating func expect(group id: UInt64, for shares: [Share]) {
        groups[id] = shares
    }

    /// Whose obligations a group stands for.
    package func shares(of id: UInt64) -> [Share] { groups[id] ?? [] }

    /// A group's message was confirmed or its statement committed. Unknown ids are ignored: a confirm may
    /// come twice around a reconnection.
    package mutating func met(group id: UInt64) -> [Delivery] {
        guard let shares = groups.removeValue(forKey: id) else { return [] }
        return shares.compactMap { met($0) }
    }

    /// Obligations that need no message, such as the `sent` of a job that only wants problems.
    package mutating func met(_ share: Share) -> Delivery? {
        guard let place = place(of: share.entry), var entry = entries[place] else { return nil }
        // No more than is owed: an output that reports a recipient twice must not spoil the total.
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
