/// The requests of one connection, in memory that is used again.
struct RequestStates {
    private var requests: ContiguousArray<RequestState> = []

    mutating func begin(_ request: Int) {
        if request < requests.count {
            requests[request] = RequestState()
        } else {
            requests.append(RequestState())
        }
    }

    mutating func close(_ request: Int) {
        requests[request].extras = nil
        requests[request].answer = nil
    }

    /// Those of a request, made if missing.
    mutating func extras(_ request: Int) -> RequestExtras {
        if let extras = requests[request].extras { return extras }
        let extras = RequestExtras()
        requests[request].extras = extras
        return extras
    }

    subscript(request: Int) -> RequestState {
        _read { yield requests[request] }
        _modify { yield &requests[request] }
    }
}
