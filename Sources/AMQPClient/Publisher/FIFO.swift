/// A queue whose both ends are cheap: an array with a moving start.
struct FIFO<Element> {
    private var storage: [Element?] = []
    private var start = 0

    var count: Int { storage.count - start }
    var isEmpty: Bool { count == 0 }
    var first: Element? { start < storage.count ? storage[start] : nil }

    /// By distance from the front; must be in range.
    subscript(offset: Int) -> Element? {
        get { storage[start + offset] }
        set { storage[start + offset] = newValue }
    }

    mutating func append(_ element: Element) {
        storage.append(element)
    }

    mutating func append(contentsOf elements: some Sequence<Element>) {
        for element in elements { storage.append(element) }
    }

    mutating func popFirst() -> Element? {
        guard start < storage.count else { return nil }
        let element = storage[start].take()
        start += 1
        if start == storage.count {
            storage.removeAll(keepingCapacity: storage.capacity <= 65_536)
            start = 0
        } else if start > 4096, start > storage.count / 2 {
            storage.removeFirst(start)
            start = 0
        }
        return element
    }

    mutating func prepend(_ elements: [Element]) {
        storage.replaceSubrange(0..<start, with: elements.map(Optional.some))
        start = 0
    }

    mutating func removeAll(where shouldBeRemoved: (Element) -> Bool) {
        storage = storage[start...].filter { $0.map { !shouldBeRemoved($0) } ?? false }
        start = 0
    }

    mutating func takeAll() -> [Element] {
        defer {
            storage = []
            start = 0
        }
        return storage[start...].compactMap { $0 }
    }
}
