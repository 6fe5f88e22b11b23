/// The requests on the wire of one connection, found by their place, which the session knows them by.
package struct InFlightTable {
    private var slab = Slab<InFlightRequest>()

    package init() {}

    package var count: Int { slab.count }
    package var isEmpty: Bool { count == 0 }
    package var requests: [InFlightRequest] { slab.elements.map(\.element) }

    /// Where the next request will be.
    package var nextPlace: Int { slab.nextPlace }

    package mutating func insert(_ request: consuming InFlightRequest) { slab.insert(request) }

    package subscript(place: Int) -> InFlightRequest? { slab[place] }

    package mutating func update(_ place: Int, _ change: (inout InFlightRequest) -> Void) { slab.update(place, change) }

    package mutating func remove(_ place: Int) -> InFlightRequest? { slab.remove(place) }

    /// Only if the request in this place went out on this stream: a place is used again once its request is answered,
    /// and the stream of one that was answered early closes later.
    package mutating func remove(_ place: Int, stream: Int32) -> InFlightRequest? {
        slab[place]?.streamID == stream ? slab.remove(place) : nil
    }

    package mutating func removeAll() -> [InFlightRequest] {
        defer { slab.removeAll() }
        return requests
    }

    /// Whether one that was sent before `uptime` has been given up and is still here.
    package func hasGivenUp(sentBefore uptime: Int64) -> Bool {
        slab.elements.contains { $0.element.isGivenUp && $0.element.sentAt < uptime }
    }

    /// Marks the requests sent before `uptime` as given up; the answer is their streams, each named once.
    package mutating func giveUp(sentBefore uptime: Int64) -> [Int32] {
        slab.elements.filter { $0.element.sentAt < uptime && !$0.element.isGivenUp }.map { place, request in
            slab.update(place) { $0.isGivenUp = true }
            return request.streamID
        }
    }
}
