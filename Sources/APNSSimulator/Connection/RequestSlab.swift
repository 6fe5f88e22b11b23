internal import HTTP2Session

/// One request under way.
struct RequestState {
    var facts = RequestFacts()
    var stream: Int32 = 0
    /// The loop's round in which it began; nil: it is there whole, or this place is free.
    var begun: Int?
    /// One reference for all that few requests need: the others are not to carry it along.
    var extras: RequestExtras?
    /// Tells a request from later ones in the same place.
    var generation = 0
}

/// What is kept of a request beyond its facts.
final class RequestExtras {
    /// The request's text, while someone wants it.
    var text: RequestText?
    /// Of a broadcast or a request about channels.
    var channelRequest: ChannelRequest?
    /// These two only where keys are limited to topics, or refused.
    var topic: String?
    var token: ProviderToken?
    var otherFields = OtherFields()

    func take(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        text?.take(name, value)
        channelRequest?.take(name, value)
    }

    func take(body bytes: UnsafeRawBufferPointer) {
        text?.take(body: bytes)
        channelRequest?.take(body: bytes)
    }
}

/// The requests of one connection, in memory that is used again.
struct RequestSlab {
    private var requests: ContiguousArray<RequestState> = []
    private var free: ContiguousArray<Int> = []

    mutating func insert(stream: Int32, round: Int) -> Int {
        guard let index = free.popLast() else {
            requests.append(RequestState(stream: stream, begun: round))
            return requests.count - 1
        }
        let generation = requests[index].generation
        requests[index] = RequestState(stream: stream, begun: round, generation: generation)
        return index
    }

    mutating func remove(_ index: Int) {
        requests[index].generation += 1
        requests[index].extras = nil
        requests[index].begun = nil
        free.append(index)
    }

    /// What could not be read until now has its whole time again.
    mutating func restart(at round: Int) {
        for index in requests.indices where requests[index].begun != nil { requests[index].begun = round }
    }

    var count: Int {
        requests.count - free.count
    }

    /// Those of a request, made if missing.
    mutating func extras(_ index: Int) -> RequestExtras {
        if let extras = requests[index].extras { return extras }
        let extras = RequestExtras()
        requests[index].extras = extras
        return extras
    }

    var indices: Range<Int> { requests.indices }

    subscript(index: Int) -> RequestState {
        _read { yield requests[index] }
        _modify { yield &requests[index] }
    }
}
