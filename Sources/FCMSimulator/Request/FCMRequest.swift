/// The data that ``FCMRules`` keeps about one request in progress.
struct FCMRequest {
    /// The decision about a request.
    enum Outcome {
        case undecided
        case answer(PlannedFCMAnswer)
        case accepted(SendRequest, project: String)
        case accessToken(TokenEndpoint.Reply)
    }

    var route = Route.nowhere
    var method = ""
    var contentType = ContentType.other("")
    var bearer = Bearer.missing
    var body: [UInt8] = []
    /// Whether the body is longer than the part that is kept.
    var isTooLong = false
    var outcome = Outcome.undecided

    enum ContentType {
        case json
        case other(String)
    }
}
