internal import Threading

/// The answer plan of all connections. Costs a request nothing while no answers are chosen.
public final class ChosenAnswers<Answer: SimulatedAnswer>: Sendable {
    // First, so that its place does not depend on the size of an answer.
    private let hasChoices = Atomic(false)
    private let plan = Mutex(AnswerPlan<Answer>())

    init() {}

    func change(_ body: (inout AnswerPlan<Answer>) -> Void) {
        plan.withLock {
            body(&$0)
            hasChoices.store($0.hasChoices, ordering: .relaxed)
        }
    }

    /// True: the token is needed to find the answer.
    package var needToken: Bool {
        hasChoices.load(ordering: .relaxed)
    }

    /// The answer chosen for a request that has passed the checks; nil: none is.
    package func take(for request: RequestText) -> Answer? { take(forToken: request.token) }

    /// - Parameter token: in its canonical spelling.
    package func take(forToken token: String) -> Answer? {
        plan.withLock { plan in
            let answer = plan.takeAnswer(forToken: token)
            hasChoices.store(plan.hasChoices, ordering: .relaxed)
            return answer
        }
    }
}
