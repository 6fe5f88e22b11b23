/// The data that ``APNSRules`` keeps about one request in progress.
struct RequestState {
    var facts = RequestProperties()
    /// The answer that was decided, or `nil` to accept the push.
    var answer: PlannedAnswer?
    /// Data that few requests need, or `nil`. It is behind a reference to keep the state small.
    var extras: RequestExtras?
}
