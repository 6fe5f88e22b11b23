import DequeModule

/// The answers chosen for requests that pass all checks. The first applicable answer is used: one for the next requests
/// regardless of their token, then one for a token prefix, then one for all tokens.
package struct AnswerPlan<Answer: SimulatedAnswer>: Sendable {
    private var next: Deque<(answer: Answer, remaining: Int)> = []
    private var byPrefix: [String: (answer: Answer, acceptedBefore: Int)] = [:]
    /// The distinct lengths of the prefixes in bytes, longest first.
    private var lengths: [Int] = []
    package var forAll: Answer?

    package init() {}

    /// Whether any answer is chosen. If not, the service's own answer applies.
    package var hasChoices: Bool {
        !next.isEmpty || !byPrefix.isEmpty || forAll != nil
    }

    /// Answers the next `count` requests with `answer`, after all answers that were planned earlier.
    package mutating func answerNext(_ count: Int, with answer: Answer) {
        if count > 0 {
            next.append((answer, count))
        }
    }

    /// Chooses the answer for all tokens that begin with `token`, or removes that choice.
    ///
    /// - Parameter token: A token or its prefix, in canonical spelling.
    /// - Parameter accepted: The number of requests to accept first.
    package mutating func set(_ answer: Answer?, forToken token: String, after accepted: Int = 0) {
        byPrefix[token] = answer.map { ($0, accepted) }
        lengths = Set(byPrefix.keys.map(\.utf8.count)).sorted(by: >)
    }

    /// Returns the answer to a request for this token, which must be in canonical spelling. Uses up one turn of an
    /// answer that was planned for the next requests.
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

    /// Returns the longest prefix of the token for which an answer is chosen.
    private func prefix(of token: String) -> String? {
        lengths.lazy.filter { $0 <= token.utf8.count }.map { String(token.prefix($0)) }.first { byPrefix[$0] != nil }
    }
}
