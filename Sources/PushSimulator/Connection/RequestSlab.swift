/// The requests of one connection, in memory that is used again.
struct RequestSlab {
    private var requests: ContiguousArray<RequestState> = []
    private var free: ContiguousArray<Int> = []

    mutating func insert(stream: Int32, round: Int) -> Int {
        guard let index = free.popLast() else {
            requests.append(RequestState(stream: stream, begun: round))
            return requests.count - 1
        }
        requests[index].stream = stream
        requests[index].begun = round
        return index
    }

    mutating func remove(_ index: Int) {
        requests[index].generation += 1
        requests[index].text = nil
        requests[index].begun = nil
        free.append(index)
    }

    /// Requests that could not be read until now have their whole time again.
    mutating func restart(at round: Int) {
        for index in requests.indices where requests[index].begun != nil { requests[index].begun = round }
    }

    var count: Int {
        requests.count - free.count
    }

    var indices: Range<Int> { requests.indices }

    subscript(index: Int) -> RequestState {
        _read { yield requests[index] }
        _modify { yield &requests[index] }
    }
}
