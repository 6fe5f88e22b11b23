import DequeModule

/// The answers chosen for requests that pass all checks. In order of precedence: for the next requests
/// whatever their token, for tokens that begin so, for all.
package struct AnswerPlan<Answer: SimulatedAnswer>: Sendable {
    private var next: Deque<(answer: Answer, remaining: Int)> = []
    private var byPrefix: [String: (answer: Answer, acceptedBefore: Int)] = [:]
    /// How many bytes the prefixes have, the longest first.
    private var lengths: [Int] = []
    package var forAll: Answer?

    package init() {}

    /// False: it is the service's own answer that counts.
    package var hasChoices: Bool {
        !next.isEmpty || !byPrefix.isEmpty || forAll != nil
    }

    /// Answers the next `count` requests so, after those planned before.
    package mutating func answerNext(_ count: Int, with answer: Answer) {
        if count > 0 {
            next.append((answer, count))
        }
    }

    /// - Parameter token: how a token begins, or all of it, in its canonical spelling.
    /// - Parameter accepted: so many requests are accepted before.
    package mutating func set(_ answer: Answer?, forToken token: String, after accepted: Int = 0) {
        byPrefix[token] = answer.map { ($0, accepted) }
        lengths = Set(byPrefix.keys.map(\.utf8.count)).sorted(by: >)
    }

    /// The answer to a request to this token, in its canonical spelling. Uses up a turn of a "next" choice.
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

    /// The longest that an answer is chosen for.
    private func prefix(of token: String) -> String? {
        lengths.lazy.filter { $0 <= token.utf8.count }.map { String(token.prefix($0)) }.first { byPrefix[$0] != nil }
    }
}
