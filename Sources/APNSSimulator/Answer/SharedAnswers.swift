import Threading

/// The answer plan of all connections. Costs a request nothing while no answers are chosen.
final class SharedAnswers: Sendable {
    private let plan = Mutex(AnswerPlan())
    private let hasChoices = Atomic(false)
    private let streamsToRefuse = Atomic(0)

    /// How many of the next requests are refused unprocessed.
    func refuseStreams(_ count: Int) {
        streamsToRefuse.store(count, ordering: .relaxed)
    }

    /// True: this request is one of them.
    func takeStreamRefusal() -> Bool {
        guard streamsToRefuse.load(ordering: .relaxed) > 0 else { return false }
        return streamsToRefuse.subtract(1, ordering: .relaxed).oldValue > 0
    }

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
