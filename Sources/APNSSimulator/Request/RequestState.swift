/// One request under way, as APNs sees it.
struct RequestState {
    var facts = RequestFacts()
    /// As judged; nil: accepted.
    var answer: PlannedAnswer?
    /// One reference for all that few requests need: the others are not to carry it along.
    var extras: RequestExtras?
}
