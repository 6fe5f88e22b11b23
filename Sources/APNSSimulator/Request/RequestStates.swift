/// The requests of one connection, in memory that is used again.
struct RequestStates {
    /// By the flow's number for each.
    // why: as it is, and no subscript: its accessors would be coroutines, which allocate for each use, and whose value a debug
    // build reads after their end.
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

    /// Those of a request, made if missing.
    mutating func extras(_ request: Int) -> RequestExtras {
        if let extras = states[request].extras { return extras }
        let extras = RequestExtras()
        states[request].extras = extras
        return extras
    }
}
