import Synchronization

/// The answer plan of all connections. Costs a request nothing while no answers are chosen.
final class SharedAnswers: Sendable {
    private let plan = Mutex(AnswerPlan())
    private let hasChoices = Atomic(false)

    func change(_ body: (inout AnswerPlan) -> Void) {
        plan.withLock {
            body(&$0)
            hasChoices.store($0.hasChoices, ordering: .relaxed)
        }
    }

    /// True: the token's text is needed to find the answer.
    var needToken: Bool {
        hasChoices.load(ordering: .relaxed)
    }

    func takeAnswer(forToken token: String) -> PlannedAnswer? {
        plan.withLock { plan in
            let answer = plan.takeAnswer(forToken: token)
            hasChoices.store(plan.hasChoices, ordering: .relaxed)
            return answer
        }
    }
}
