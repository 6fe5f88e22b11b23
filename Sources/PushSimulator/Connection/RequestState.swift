/// The server's state of one request in progress.
struct RequestState {
    var stream: Int32 = 0
    /// The loop's round in which the request began, or `nil` if the request is complete or the slot is free.
    var begun: Int?
    /// The request's text, kept only while the recorder or the rules need it.
    var text: RequestText?
    /// A number that distinguishes this request from later requests in the same slot.
    var generation = 0
}
