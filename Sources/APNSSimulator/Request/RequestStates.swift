/// One request under way, as APNs sees it.
struct RequestState {
    var facts = RequestFacts()
    /// As judged; nil: accepted.
    var answer: PlannedAnswer?
    /// One reference for all that few requests need: the others are not to carry it along.
    var extras: RequestExtras?
}

/// What is kept of a request beyond its facts.
final class RequestExtras {
    /// A broadcast, or about channels.
    var concernsChannels = false
    /// These two only where keys are limited to topics, or refused.
    var topic: String?
    var token: ProviderToken?
    var otherFields = OtherFields()
}

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
