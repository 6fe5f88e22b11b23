/// One request under way, as the server sees it.
struct RequestState {
    var stream: Int32 = 0
    /// The loop's round in which it began; nil: it is there whole, or this place is free.
    var begun: Int?
    /// While someone wants it.
    var text: RequestText?
    /// Tells a request from later ones in the same place.
    var generation = 0
}
