/// The rules' state of one request in progress.
struct RequestState {
    var facts = RequestFacts()
    /// The answer that was decided, or `nil` if the push is accepted.
    var answer: PlannedAnswer?
    /// Data that few requests need. It is behind a reference to keep the state of all other requests small.
    var extras: RequestExtras?
}
