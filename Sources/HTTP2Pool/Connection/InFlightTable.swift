/// The requests on the wire on one connection, each stored at a place. The session uses the place as the tag of the
/// request's stream.
package struct InFlightTable {
    private var slab = Slab<InFlightRequest>()

    package init() {}

    package var count: Int { slab.count }
    package var isEmpty: Bool { count == 0 }
    package var requests: [InFlightRequest] { slab.elements.map(\.element) }

    /// The place at which the next request will be inserted.
    package var nextPlace: Int { slab.nextPlace }

    package mutating func insert(_ request: consuming InFlightRequest) { slab.insert(request) }

    package subscript(place: Int) -> InFlightRequest? { slab[place] }

    package mutating func update(_ place: Int, _ change: (inout InFlightRequest) -> Void) { slab.update(place, change) }

    package mutating func remove(_ place: Int) -> InFlightRequest? { slab.remove(place) }

    /// Removes and returns the request at a place, or returns `nil` if the request there was not sent on this stream.
    /// The stream id must be checked because a stream may close after its request was answered and its place was
    /// reused.
    package mutating func remove(_ place: Int, stream: Int32) -> InFlightRequest? {
        slab[place]?.streamID == stream ? slab.remove(place) : nil
    }

    package mutating func removeAll() -> [InFlightRequest] {
        defer { slab.removeAll() }
        return requests
    }

    /// Returns whether the table contains a request that was given up and was sent before `uptime`, in milliseconds.
    package func hasGivenUp(sentBefore uptime: Int64) -> Bool {
        slab.elements.contains { $0.element.isGivenUp && $0.element.sentAt < uptime }
    }

    /// Marks the requests that were sent before `uptime` as given up. Returns the stream ids of the newly marked
    /// requests.
    package mutating func giveUp(sentBefore uptime: Int64) -> [Int32] {
        slab.elements.filter { $0.element.sentAt < uptime && !$0.element.isGivenUp }.map { place, request in
            slab.update(place) { $0.isGivenUp = true }
            return request.streamID
        }
    }
}
