/// The requests of one connection, in memory that is used again.
struct RequestSlab {
    /// By their place.
    // why: as it is, and no subscript: its accessors would be coroutines, which allocate for each use, and whose value a debug
    // build reads after their end.
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

    /// Requests that could not be read until now have their whole time again.
    mutating func restart(at round: Int) {
        for index in states.indices where states[index].begun != nil { states[index].begun = round }
    }

    var count: Int {
        states.count - free.count
    }

    var indices: Range<Int> { states.indices }
}
