internal import Foundations

/// The answer plan that all connections share. While no answer is chosen, requests need not take its lock.
public final class ChosenAnswers<Answer: SimulatedAnswer>: Sendable {
    // `hasChoices` is the first property, so that its offset does not depend on the size of an answer.
    private let hasChoices = Atomic(false)
    private let plan = Mutex(AnswerPlan<Answer>())

    init() {}

    func change(_ body: (inout AnswerPlan<Answer>) -> Void) {
        plan.withLock {
            body(&$0)
            hasChoices.store($0.hasChoices, ordering: .relaxed)
        }
    }

    /// Whether any answer is chosen. If so, the caller needs the token of a request.
    package var needToken: Bool {
        hasChoices.load(ordering: .relaxed)
    }

    /// Returns the chosen answer for a request that has passed the checks, or `nil` if none is chosen.
    package func take(for request: RequestText) -> Answer? { take(forToken: request.token) }

    /// Returns the chosen answer for a request to a token, or `nil` if none is chosen.
    ///
    /// - Parameter token: the token in canonical spelling.
    package func take(forToken token: String) -> Answer? {
        plan.withLock { plan in
            let answer = plan.takeAnswer(forToken: token)
            hasChoices.store(plan.hasChoices, ordering: .relaxed)
            return answer
        }
    }
}
