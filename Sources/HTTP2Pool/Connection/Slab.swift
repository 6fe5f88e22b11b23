/// A collection whose elements keep their places. Free places are reused, so the collection grows only to the largest
/// number of elements that it has had at a time.
// why: public and inlinable, because each request on the wire has an element here. The compiler (Swift 6.2) does not
// specialize generic code of another module unless it is public.
public struct Slab<Element> {
    @usableFromInline var places: ContiguousArray<Element?> = []
    @usableFromInline var free: ContiguousArray<Int> = []

    @inlinable public init() {}

    @inlinable public var count: Int { places.count - free.count }

    /// All elements with their places.
    @inlinable public var elements: [(place: Int, element: Element)] {
        places.enumerated().compactMap { place, element in element.map { (place, $0) } }
    }

    /// The place at which the next element will be inserted.
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

    /// The element in this place, or `nil` if the place is empty.
    @inlinable public subscript(place: Int) -> Element? {
        places.indices.contains(place) ? places[place] : nil
    }

    /// Changes the element in this place, if there is one.
    // why: no `_modify`, because its coroutine frame would be allocated for every header field of every answer.
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
