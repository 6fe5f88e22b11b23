/// A fault of a service.
package enum ServiceFault: Hashable, Sendable {
    // The following faults concern the service's connections.
    case goAway(announced: Bool)
    case cut
    case refuseStreams(Int)
    case down
    // The following faults concern the service's answers.
    case slow(milliseconds: Int)
    /// Requests are read but not answered. If `all` is set, they are not even read.
    case silence(all: Bool)
    /// A number of requests get this answer.
    case next(Int, ServiceAnswer)
    /// All requests get this answer until the end of the fault.
    case always(ServiceAnswer)
    /// Answers leave out some recipients.
    case partialAnswers
    /// Answers do not have the service's format.
    case wrongWords
    /// Connections end in the middle of an answer.
    case cutAnswers
    // The following faults concern credentials. They last until they are cleared.
    /// The token endpoint issues no access tokens. If `isSilent` is set, it does not answer at all.
    case noAccessTokens(isSilent: Bool)
    /// All access tokens are revoked.
    case revokedTokens
    /// The token endpoint or the endpoint for messages refuses the account of an app. Apps are numbered from 0.
    case refusedAccount(app: Int, byTokenEndpoint: Bool)

    /// The name of the fault in the report.
    package var name: String {
        switch self {
        case .goAway: "GOAWAY"
        case .cut: "cuts all connections"
        case .refuseStreams: "REFUSED_STREAM"
        case .down: "down"
        case .slow: "slow answers"
        case .silence: "silence"
        case .next(_, let answer): "\(answer.name) for some requests"
        case .always(let answer): "\(answer.name) for everything"
        case .partialAnswers: "incomplete answers"
        case .wrongWords: "malformed answers"
        case .cutAnswers: "answers cut short"
        case .noAccessTokens(let isSilent): isSilent ? "silence about access tokens" : "no access tokens"
        case .revokedTokens: "access tokens revoked"
        case .refusedAccount(_, let byTokenEndpoint):
            byTokenEndpoint ? "account that gets no token" : "account that may not send"
        }
    }

    /// Whether workers may lose track of pushes on the wire because of the fault. These pushes are sent again.
    var blindsPushes: Bool {
        switch self {
        case .goAway, .cut, .down, .slow, .silence, .partialAnswers, .wrongWords, .cutAnswers: true
        // A webhook receiver that answers like this may have accepted part of a batch.
        case .next(_, .broken), .always(.unavailable(nil)): true
        default: false
        }
    }

    /// Whether the service may read requests late, even after a deadline or cancellation that followed them.
    var holdsUpRequests: Bool { if case .silence = self { true } else { false } }
}

/// A faulty answer from a service.
package enum ServiceAnswer: Hashable, Sendable {
    /// A 429. If `retryAfter` is not `nil`, `Retry-After` contains this number of seconds.
    case tooMany(retryAfter: Int?)
    /// A 503. If `retryAfter` is not `nil`, `Retry-After` contains this number of seconds.
    case unavailable(retryAfter: Int?)
    /// An answer with status 500.
    case broken
    /// The address belongs to another sender. The refusal is permanent, but the address is not dead.
    case mismatch

    var name: String {
        switch self {
        case .tooMany(let seconds): seconds == nil ? "429" : "429 with Retry-After"
        case .unavailable(let seconds): seconds == nil ? "503" : "503 with Retry-After"
        case .broken: "500"
        case .mismatch: "mismatch"
        }
    }
}
