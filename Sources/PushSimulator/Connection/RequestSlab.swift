/// The requests of one connection, in memory slots that are reused.
struct RequestSlab {
    /// The states of the requests, by slot.
    // why: accessed directly and not through a subscript. Its accessors would be coroutines, which allocate on each
    // use, and a debug build reads their value after they end.
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

    /// Gives all requests their full time again after a period in which nothing could be read.
    mutating func restart(at round: Int) {
        for index in states.indices where states[index].begun != nil { states[index].begun = round }
    }

    var count: Int {
        states.count - free.count
    }

    var indices: Range<Int> { states.indices }
}
