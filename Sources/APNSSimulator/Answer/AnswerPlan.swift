/// The answers chosen for requests that pass all checks. In order of precedence: for the next requests
/// whatever their token, for tokens that begin so, for all, by token pattern, accepted.
package struct AnswerPlan: Sendable {
    private var next: [(answer: PlannedAnswer, remaining: Int)] = []
    private var byPrefix: [String: (answer: PlannedAnswer, acceptedBefore: Int)] = [:]
    /// How many digits the prefixes have, the longest first.
    private var lengths: [Int] = []
    package var forAll: PlannedAnswer?

    package init() {}

    /// False: only the token's pattern counts.
    package var hasChoices: Bool {
        !next.isEmpty || !byPrefix.isEmpty || forAll != nil
    }

    /// Answers the next `count` requests so, after those planned before.
    package mutating func answerNext(_ count: Int, with answer: PlannedAnswer) {
        if count > 0 {
            next.append((answer, count))
        }
    }

    /// - Parameter token: a device token's first hex digits or all of them, in either case.
    /// - Parameter accepted: so many requests are accepted before.
    package mutating func set(_ answer: PlannedAnswer?, forToken token: String, after accepted: Int = 0) {
        byPrefix[token.lowercased()] = answer.map { ($0, accepted) }
        lengths = Set(byPrefix.keys.map(\.utf8.count)).sorted(by: >)
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
