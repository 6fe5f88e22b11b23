internal import HTTP2Session

/// One request under way.
struct RequestState {
    var facts = RequestFacts()
    var stream: Int32 = 0
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

    mutating func insert(stream: Int32) -> Int {
        guard let index = free.popLast() else {
            requests.append(RequestState(stream: stream))
            return requests.count - 1
        }
        let generation = requests[index].generation
        requests[index] = RequestState(stream: stream, generation: generation)
        return index
    }

    mutating func remove(_ index: Int) {
        requests[index].generation += 1
        requests[index].extras = nil
        free.append(index)
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
