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
        get { places.indices.contains(place) ? places[place] : nil }
        _modify {
            // What is not there can't be changed, nor put there.
            guard places.indices.contains(place), places[place] != nil else {
                var nothing: Element?
                yield &nothing
                return
            }
            yield &places[place]
        }
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
