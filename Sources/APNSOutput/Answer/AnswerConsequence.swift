import HTTP2Pool
import PushModel
import PushSending

/// The consequences of a refusal for the push, its connection, its credential and its topic.
struct AnswerConsequence: Equatable {
    /// The verdict on the push, or `nil` to send it again on another connection.
    var verdict: Outcome.Verdict?
    var connection = ConnectionVerdict.keep
    /// The subject that APNs accepts according to this answer, or `nil` if the answer does not show one.
    var accepts: RefusalSubject?
    /// The subject that APNs refuses, or `nil` for none. Even if the credential is refused, only pushes to the same
    /// topic wait.
    var refuses: RefusalSubject?
    /// Whether the refusal may concern this push alone.
    var isAmbiguous = false

    /// Returns the verdict on the push. If ``verdict`` is `hold`, the consequence from the pool's health replaces it,
    /// because other pushes may show that neither the credential nor the topic is at fault.
    ///
    /// - Parameter refusal: the consequence from the pool's health, or `nil` if no subject was refused.
    func verdict(_ refusal: RefusalConsequence?) -> Outcome.Verdict? {
        verdict == .hold ? refusal?.verdict ?? verdict : verdict
    }
}

extension APNSAnswerClass {
    /// Returns the consequences of an answer of this class.
    ///
    /// - Parameters:
    ///   - isRepeated: whether the push was already refused and sent again in this attempt.
    ///   - isBroadcast: whether the recipient is a channel. Channels are not in the token registry.
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
