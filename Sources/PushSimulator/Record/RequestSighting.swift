/// What happened to one request, as it happens.
package enum RequestSighting: Sendable, Hashable {
    /// It came in whole.
    case arrived
    /// A GOAWAY said that it was not processed.
    case disowned
    case answered(status: Int)
    /// Its connection or stream ended before the answer, or it is kept waiting for ever.
    case unanswered
}
