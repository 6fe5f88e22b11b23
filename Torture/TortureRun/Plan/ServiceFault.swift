/// What goes wrong with a service.
package enum ServiceFault: Hashable, Sendable {
    // With its connections.
    case goAway(announced: Bool)
    case cut
    case refuseStreams(Int)
    case down
    // With its answers.
    case slow(milliseconds: Int)
    /// Requests are taken and not answered; `all`: not even read.
    case silence(all: Bool)
    /// So many of the next requests get this answer.
    case next(Int, ServiceAnswer)
    /// All do, for a while.
    case always(ServiceAnswer)
    /// Some recipients are left out.
    case partialAnswers
    /// Answers that are none.
    case wrongWords
    /// Their connection ends in the middle of them.
    case cutAnswers
    // With the credential, until it is mended.
    /// Where access tokens are to be had, nobody gets one, or even an answer.
    case noAccessTokens(isSilent: Bool)
    /// All access tokens are taken back.
    case revokedTokens
    /// The account of an app, counted from 0, is refused: by who gives out tokens, or by who takes messages.
    case refusedAccount(app: Int, byTokenEndpoint: Bool)

    /// What it is counted as.
    package var name: String {
        switch self {
        case .goAway: "GOAWAY"
        case .cut: "cuts all connections"
        case .refuseStreams: "REFUSED_STREAM"
        case .down: "down"
        case .slow: "slow answers"
        case .silence: "silence"
        case .next(_, let answer): "\(answer.name) for some"
        case .always(let answer): "\(answer.name) for everything"
        case .partialAnswers: "answers that lack some"
        case .wrongWords: "answers that are none"
        case .cutAnswers: "answers cut short"
        case .noAccessTokens(let isSilent): isSilent ? "silence about access tokens" : "no access tokens"
        case .revokedTokens: "access tokens revoked"
        case .refusedAccount(_, let byTokenEndpoint):
            byTokenEndpoint ? "account that gets no token" : "account that may not send"
        }
    }

    /// Workers may lose sight of what is on the wire, so that it is sent again.
    var blindsPushes: Bool {
        switch self {
        case .goAway, .cut, .down, .slow, .silence, .partialAnswers, .wrongWords, .cutAnswers: true
        // Of a receiver of batches they may be half of the truth.
        case .next(_, .broken), .always(.unavailable(nil)): true
        default: false
        }
    }

    /// What was sent in time may be read only when it is over.
    var holdsUpRequests: Bool { if case .silence = self { true } else { false } }
}

/// What a service may answer in place of what is right.
package enum ServiceAnswer: Hashable, Sendable {
    /// 429; after so many seconds it is to be tried again.
    case tooMany(retryAfter: Int?)
    /// 503.
    case unavailable(retryAfter: Int?)
    /// 500.
    case broken
    /// The address is another's: refused for good, and by no means dead.
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
