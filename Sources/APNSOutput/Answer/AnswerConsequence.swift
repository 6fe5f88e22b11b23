import HTTP2Pool
import PushModel
import PushSending

/// What follows from a refusal.
struct AnswerConsequence: Equatable {
    /// What becomes of the push; nil: it is sent again, on another connection.
    var verdict: Outcome.Verdict?
    var connection = ConnectionVerdict.keep
    /// What APNs has just shown that it accepts.
    var accepts: PoolHealth.Subject?
    /// What waits until it is accepted again.
    var refuses: PoolHealth.Subject?
    /// Whether the refusal may concern this push alone.
    var isAmbiguous = false

    /// The consequence for the push, where other pushes may show that the credential or topic is not at fault.
    func verdict(_ refusal: PoolHealth.Consequence?) -> Outcome.Verdict? {
        verdict == .hold ? refusal?.verdict ?? verdict : verdict
    }
}

extension APNSAnswerClass {
    /// - Parameters:
    ///   - isRepeated: the push has been sent again before.
    ///   - isBroadcast: a channel is in no registry of tokens.
    func consequence(isRepeated: Bool, isBroadcast: Bool) -> AnswerConsequence {
        switch self {
        case .tokenDead: AnswerConsequence(verdict: isBroadcast ? .rejected : .unregistered, accepts: .topic)
        case .refused: AnswerConsequence(verdict: .rejected, accepts: .credential)
        case .topicRefused: AnswerConsequence(verdict: .hold, accepts: .credential, refuses: .topic)
        case .unknownRefused: AnswerConsequence(verdict: .hold, refuses: .topic, isAmbiguous: true)
        case .credentialRefused: AnswerConsequence(verdict: .hold, refuses: .credential)
        case .forbidden: AnswerConsequence(verdict: .failed, refuses: .credential)
        case .retryLater: AnswerConsequence(verdict: .retry)
        case .retryLaterOnNewConnection: AnswerConsequence(verdict: .retry, connection: .replace)
        case .retryOnNewConnection: AnswerConsequence(verdict: isRepeated ? .retry : nil, connection: .replace)
        case .credentialRetryOnNewConnection where isRepeated:
            AnswerConsequence(verdict: .hold, connection: .replace, refuses: .credential)
        case .credentialRetryOnNewConnection: AnswerConsequence(connection: .replace)
        }
    }
}
