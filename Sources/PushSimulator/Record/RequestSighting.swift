/// A change in the state of one request.
package enum RequestSighting: Sendable, Hashable {
    /// The complete request has arrived.
    case arrived
    /// A GOAWAY declared the request as unprocessed.
    case disowned
    case answered(status: Int)
    /// The request was not answered, because its connection or stream ended or because the answer is withheld.
    case unanswered
}
