/// A change in the state of one request, reported as it happens.
package enum RequestSighting: Sendable, Hashable {
    /// The request is complete.
    case arrived
    /// A GOAWAY declared the request as unprocessed.
    case disowned
    case answered(status: Int)
    /// The request's connection or stream ended before the answer, or the request is never answered.
    case unanswered
}
