/// The answers chosen for requests that pass all checks. In order of precedence: for the next requests
/// whatever their token, for single tokens, for all, by token pattern, accepted.
package struct AnswerPlan: Sendable {
    private var next: [(answer: PlannedAnswer, remaining: Int)] = []
    private var byToken: [String: (answer: PlannedAnswer, acceptedBefore: Int)] = [:]
    package var forAll: PlannedAnswer?

    package init() {}

    /// False: only the token's pattern counts.
    package var hasChoices: Bool {
        !next.isEmpty || !byToken.isEmpty || forAll != nil
    }

    /// Answers the next `count` requests so, after those planned before.
    package mutating func answerNext(_ count: Int, with answer: PlannedAnswer) {
        if count > 0 {
            next.append((answer, count))
        }
    }

    /// - Parameter token: hex digits, in either case.
    /// - Parameter accepted: so many requests are accepted before.
    package mutating func set(_ answer: PlannedAnswer?, forToken token: String, after accepted: Int = 0) {
        byToken[token.lowercased()] = answer.map { ($0, accepted) }
    }

    /// The answer to a request to this token (lower-case hex digits). Uses up a turn of a "next" choice.
    package mutating func takeAnswer(forToken token: String) -> PlannedAnswer? {
        if let first = next.first {
            if first.remaining == 1 {
                next.removeFirst()
            } else {
                next[0].remaining -= 1
            }
            return first.answer
        }
        guard let chosen = byToken[token] else { return forAll }
        guard chosen.acceptedBefore > 0 else { return chosen.answer }
        byToken[token]?.acceptedBefore -= 1
        return .accepted
    }
}
