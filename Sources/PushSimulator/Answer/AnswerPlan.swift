import DequeModule

/// The answers that a test or operator has chosen for requests that pass all checks. The first applicable answer is
/// used: an answer for the next requests regardless of their token, then an answer for a token prefix, then an answer
/// for all tokens.
package struct AnswerPlan<Answer: SimulatedAnswer>: Sendable {
    private var next: Deque<(answer: Answer, remaining: Int)> = []
    private var byPrefix: [String: (answer: Answer, acceptedBefore: Int)] = [:]
    /// The distinct lengths of the prefixes in bytes. The longest one is first.
    private var lengths: [Int] = []
    /// The answer for all tokens, or `nil` for the service's own answer.
    package var forAll: Answer?

    package init() {}

    /// Whether any answer is chosen. Otherwise, the service's own answer applies.
    package var hasChoices: Bool {
        !next.isEmpty || !byPrefix.isEmpty || forAll != nil
    }

    /// Chooses an answer for the next `count` requests. It applies after the answers that were chosen earlier.
    package mutating func answerNext(_ count: Int, with answer: Answer) {
        if count > 0 {
            next.append((answer, count))
        }
    }

    /// Chooses the answer for all tokens with a prefix, or removes the choice if the answer is `nil`.
    ///
    /// - Parameters:
    ///   - token: a token or its prefix, in canonical spelling.
    ///   - accepted: the number of requests to accept before the answer applies.
    package mutating func set(_ answer: Answer?, forToken token: String, after accepted: Int = 0) {
        byPrefix[token] = answer.map { ($0, accepted) }
        lengths = Set(byPrefix.keys.map(\.utf8.count)).sorted(by: >)
    }

    /// Returns the answer to a request for a token, or `nil` if none is chosen. Each call uses up one of the answers
    /// that were chosen for the next requests.
    ///
    /// - Parameter token: the token in canonical spelling.
    package mutating func takeAnswer(forToken token: String) -> Answer? {
        if let first = next.first {
            if first.remaining == 1 {
                next.removeFirst()
            } else {
                next[0].remaining -= 1
            }
            return first.answer
        }
        guard let prefix = prefix(of: token), let chosen = byPrefix[prefix] else { return forAll }
        guard chosen.acceptedBefore > 0 else { return chosen.answer }
        byPrefix[prefix]?.acceptedBefore -= 1
        return .accepted
    }

    /// Returns the longest prefix of a token for which an answer is chosen, or `nil` if there is none.
    private func prefix(of token: String) -> String? {
        lengths.lazy.filter { $0 <= token.utf8.count }.map { String(decoding: token.utf8.prefix($0), as: UTF8.self) }
            .first { byPrefix[$0] != nil }
    }
}
