/// The requests of one connection, stored in reusable slots.
struct RequestSlab {
    /// The states of the requests, indexed by slot.
    // why: callers access the array directly, because a subscript's accessors would be coroutines. A coroutine
    // allocates memory on each use, and code in a debug build reads the yielded value after the coroutine has ended.
    var states: ContiguousArray<RequestState> = []
    private var free: ContiguousArray<Int> = []

    mutating func insert(stream: Int32, round: Int) -> Int {
        guard let index = free.popLast() else {
            states.append(RequestState(stream: stream, begun: round))
            return states.count - 1
        }
        states[index].stream = stream
        states[index].begun = round
        return index
    }

    mutating func remove(_ index: Int) {
        states[index].generation += 1
        states[index].text = nil
        states[index].begun = nil
        free.append(index)
    }

    /// Restarts the timeouts of all requests, after a period in which the server did not read from the client.
    mutating func restart(at round: Int) {
        for index in states.indices where states[index].begun != nil { states[index].begun = round }
    }

    var count: Int {
        states.count - free.count
    }

    var indices: Range<Int> { states.indices }
}
