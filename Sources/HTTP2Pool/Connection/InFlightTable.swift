/// The requests on the wire of one connection, found by place. The session uses the place as the stream's tag.
package struct InFlightTable {
    private var slab = Slab<InFlightRequest>()

    package init() {}

    package var count: Int { slab.count }
    package var isEmpty: Bool { count == 0 }
    package var requests: [InFlightRequest] { slab.elements.map(\.element) }

    /// The place of the next request.
    package var nextPlace: Int { slab.nextPlace }

    package mutating func insert(_ request: consuming InFlightRequest) { slab.insert(request) }

    package subscript(place: Int) -> InFlightRequest? { slab[place] }

    package mutating func update(_ place: Int, _ change: (inout InFlightRequest) -> Void) { slab.update(place, change) }

    package mutating func remove(_ place: Int) -> InFlightRequest? { slab.remove(place) }

    /// Removes the request in this place only if it was sent on this stream. A place is reused once its request is
    /// answered, and the stream of a request that was answered early closes later.
    package mutating func remove(_ place: Int, stream: Int32) -> InFlightRequest? {
        slab[place]?.streamID == stream ? slab.remove(place) : nil
    }

    package mutating func removeAll() -> [InFlightRequest] {
        defer { slab.removeAll() }
        return requests
    }

    /// Returns whether a request sent before `uptime` was given up and is still in the table.
    package func hasGivenUp(sentBefore uptime: Int64) -> Bool {
        slab.elements.contains { $0.element.isGivenUp && $0.element.sentAt < uptime }
    }

    /// Marks the requests sent before `uptime` as given up. Returns the streams of those that are newly marked.
    package mutating func giveUp(sentBefore uptime: Int64) -> [Int32] {
        slab.elements.filter { $0.element.sentAt < uptime && !$0.element.isGivenUp }.map { place, request in
            slab.update(place) { $0.isGivenUp = true }
            return request.streamID
        }
    }
}
