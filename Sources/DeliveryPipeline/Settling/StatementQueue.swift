package import DequeModule

/// The items that wait for the database. Only one statement runs at a time, and further items are collected until it is
/// answered. A value type without clock or I/O.
///
/// | item | waits until |
/// |---|---|
/// | collected | the previous statement is answered |
/// | in a statement | the answer arrives |
///
/// An item may be removed earlier. Its place in a statement then stays, because answers are matched by position.
package struct StatementQueue<Item> {
    package private(set) var gathering: Deque<Item> = []
    /// The running statement, or `nil` if no statement runs. Items that were removed from the statement are `nil`.
    private var asked: (id: UInt64, items: [Item?])?

    package init() {}

    /// Whether a statement has not been answered yet.
    package var isAsking: Bool { asked != nil }
    package var canAsk: Bool { !isAsking && !gathering.isEmpty }
    /// Whether there are no waiting items. A statement may still be running.
    package var isEmpty: Bool { gathering.isEmpty && asked?.items.contains { $0 != nil } != true }

    /// The number of items that wait or are part of a statement.
    package var count: Int { gathering.count + (asked?.items.count { $0 != nil } ?? 0) }

    package mutating func add(_ item: Item) { gathering.append(item) }

    /// Starts the next statement with at most `count` collected items, the oldest first.
    ///
    /// - Returns: the items, or `nil` if a statement is running or no item is collected.
    package mutating func next(id: UInt64, atMost count: Int = .max) -> [Item]? {
        guard canAsk else { return nil }
        let items = Array(gathering.prefix(count))
        gathering.removeFirst(items.count)
        asked = (id, items)
        return items
    }

    /// Ends a statement.
    ///
    /// - Returns: the items of the statement by position, or `nil` if no statement with this id is running.
    package mutating func answered(_ id: UInt64) -> [Item?]? {
        guard let asked, asked.id == id else { return nil }
        self.asked = nil
        return asked.items
    }

    /// Returns whether the statement with an id has not been answered yet.
    package func asks(_ id: UInt64) -> Bool { asked?.id == id }

    /// Removes and returns the items that must not wait any longer.
    ///
    /// - Parameter isOut: a closure that returns whether an item must be removed.
    package mutating func takeOut(where isOut: (Item) -> Bool = { _ in true }) -> (asked: [Item], gathering: [Item]) {
        let taken = ((asked?.items ?? []).compactMap(\.self).filter(isOut), Array(gathering.filter(isOut)))
        if let asked { self.asked = (asked.id, asked.items.map { $0.map(isOut) == true ? nil : $0 }) }
        gathering.removeAll(where: isOut)
        return taken
    }
}
