/// One request under way.
struct FCMRequest {
    /// What was decided about it.
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
    /// The body is longer than what is kept of it.
    var isTooLong = false
    var outcome = Outcome.undecided

    enum ContentType {
        case json
        case other(String)
    }
}
