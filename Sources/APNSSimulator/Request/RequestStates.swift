/// The requests of one connection, in memory slots that are reused.
struct RequestStates {
    /// The states of the requests, by the number that `RequestFlow` assigns to each.
    // why: accessed directly and not through a subscript. Its accessors would be coroutines, which allocate on each
    // use, and a debug build reads their value after they end.
    var states: ContiguousArray<RequestState> = []

    mutating func begin(_ request: Int) {
        if request < states.count {
            states[request] = RequestState()
        } else {
            states.append(RequestState())
        }
    }

    mutating func close(_ request: Int) {
        states[request].extras = nil
        states[request].answer = nil
    }

    /// Returns the extras of a request, and creates them if missing.
    mutating func extras(_ request: Int) -> RequestExtras {
        if let extras = states[request].extras { return extras }
        let extras = RequestExtras()
        states[request].extras = extras
        return extras
    }
}
