import PushSimulator
import Testing

@Suite struct AnswerPlanTests {
    @Test func usesNextAnswersBeforeTokenAnswers() {
        var plan = AnswerPlan<ToyAnswer>()
        #expect(!plan.hasChoices)
        plan.set(ToyAnswer(status: 404, word: "own"), forToken: "abcd")
        plan.answerNext(2, with: ToyAnswer(status: 503, word: "first"))
        plan.answerNext(1, with: ToyAnswer(status: 500, word: "second"))
        plan.answerNext(0, with: ToyAnswer(status: 403, word: "never"))
        let answers = (0..<5).map { _ in plan.takeAnswer(forToken: "abcd")?.reason }
        #expect(answers == ["first", "first", "second", "own", "own"])
        #expect(plan.takeAnswer(forToken: "ef") == nil)
        plan.set(nil, forToken: "abcd")
        #expect(!plan.hasChoices)
    }
}
