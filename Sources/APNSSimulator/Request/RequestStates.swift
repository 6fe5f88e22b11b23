/// The states of the requests of one connection, stored in reusable slots.
struct RequestStates {
    /// The states of the requests, indexed by the number that `RequestFlow` assigns to each.
    // why: callers access the array directly, because a subscript's accessors would be coroutines. A coroutine
    // allocates memory on each use, and code in a debug build reads the yielded value after the coroutine has ended.
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

    /// Returns the extras of a request, and creates them if they are missing.
    mutating func extras(_ request: Int) -> RequestExtras {
        if let extras = states[request].extras { return extras }
        let extras = RequestExtras()
        states[request].extras = extras
        return extras
    }
}
