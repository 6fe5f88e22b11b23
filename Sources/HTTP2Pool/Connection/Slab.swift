/// Values found by the number of their place. Places are used again, so it stops growing.
// why: inlinable, since its users are in other modules and there is one of these for each request on the wire.
@frozen
public struct Slab<Element> {
    @usableFromInline var places: ContiguousArray<Element?> = []
    @usableFromInline var free: ContiguousArray<Int> = []

    @inlinable public init() {}

    @inlinable public var count: Int { places.count - free.count }

    /// With their places.
    @inlinable public var elements: [(place: Int, element: Element)] {
        places.enumerated().compactMap { place, element in element.map { (place, $0) } }
    }

    /// Where the next element will be.
    @inlinable public var nextPlace: Int { free.last ?? places.count }

    @inlinable
    @discardableResult
    public mutating func insert(_ element: consuming Element) -> Int {
        guard let place = free.popLast() else {
            places.append(element)
            return places.count - 1
        }
        places[place] = element
        return place
    }

    /// Nil for a place that is empty.
    @inlinable public subscript(place: Int) -> Element? {
        places.indices.contains(place) ? places[place] : nil
    }

    /// Changes what is in this place, if anything is.
    // why: no `_modify`, whose frame would be an allocation for every header field of every answer.
    @inlinable public mutating func update(_ place: Int, _ change: (inout Element) -> Void) {
        guard places.indices.contains(place), var element = places[place].take() else { return }
        change(&element)
        places[place] = element
    }

    @inlinable public mutating func remove(_ place: Int) -> Element? {
        guard places.indices.contains(place), let element = places[place].take() else { return nil }
        free.append(place)
        return element
    }

    @inlinable public mutating func removeAll() {
        places.removeAll()
        free.removeAll()
    }
}
