package import DequeModule

/// What waits for the database: one statement at a time, the rest gathers meanwhile. A value: no clock, no I/O.
///
/// | an item | until |
/// |---|---|
/// | gathers | the statement before is answered |
/// | is asked about | the answer comes |
/// | either | it is taken out, and waits no longer; the statement goes on, since answers come by place |
package struct StatementQueue<Item> {
    package private(set) var gathering: Deque<Item> = []
    /// What was taken out of it is nil.
    private var asked: (id: UInt64, items: [Item?])?

    package init() {}

    /// A statement has no answer yet.
    package var isAsking: Bool { asked != nil }
    package var canAsk: Bool { !isAsking && !gathering.isEmpty }
    /// Nothing waits; a statement may be under way all the same.
    package var isEmpty: Bool { gathering.isEmpty && asked?.items.contains { $0 != nil } != true }

    /// What waits, or is asked about.
    package var count: Int { gathering.count + (asked?.items.count { $0 != nil } ?? 0) }

    package mutating func add(_ item: Item) { gathering.append(item) }

    /// What to ask about next: so many of those that gather, the oldest first.
    ///
    /// - Returns: nil while something is asked, and if there is nothing.
    package mutating func next(id: UInt64, atMost count: Int = .max) -> [Item]? {
        guard canAsk else { return nil }
        let items = Array(gathering.prefix(count))
        gathering.removeFirst(items.count)
        asked = (id, items)
        return items
    }

    /// - Returns: what was asked about, by place; nil: another statement is under way, or none.
    package mutating func answered(_ id: UInt64) -> [Item?]? {
        guard let asked, asked.id == id else { return nil }
        self.asked = nil
        return asked.items
    }

    /// This very statement has no answer yet.
    package func asks(_ id: UInt64) -> Bool { asked?.id == id }

    /// What is not to wait any longer.
    package mutating func takeOut(where isOut: (Item) -> Bool = { _ in true }) -> (asked: [Item], gathering: [Item]) {
        let taken = ((asked?.items ?? []).compactMap(\.self).filter(isOut), Array(gathering.filter(isOut)))
        if let asked { self.asked = (asked.id, asked.items.map { $0.map(isOut) == true ? nil : $0 }) }
        gathering.removeAll(where: isOut)
        return taken
    }
}
