/// The server's state of one request in progress.
struct RequestState {
    var stream: Int32 = 0
    /// The round of the event loop in which the request began, or `nil` if the request is complete or the slot is free.
    var begun: Int?
    /// The text of the request, or `nil` if neither the recorder nor the rules need it.
    var text: RequestText?
    /// A number that distinguishes this request from later requests in the same slot.
    var generation = 0
}
