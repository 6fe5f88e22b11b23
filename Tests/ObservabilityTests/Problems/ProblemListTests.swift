import Observability
import PushModel
import Testing

@Suite struct ProblemListTests {
    @Test func keepsStartTimeOfProblem() {
        var list = ProblemList()
        let (silent, slow) = (
            Problem(.providerSilent, "fcm production: no answer.", subject: "fcm production"),
            Problem(.providerSlow, "apns production: slow.", subject: "apns production")
        )
        let start = Timestamp(seconds: 1_800_000_000)
        let later = Timestamp(seconds: start.seconds + 10)
        #expect(list.update([silent], now: start).began.map(\.kind) == [.providerSilent])
        let second = list.update([slow, silent], now: later)
        #expect(second.began.map(\.kind) == [.providerSlow] && second.ended.isEmpty)
        #expect(list.open.map(\.since) == [later, start])
        let third = list.update([slow], now: Timestamp(seconds: start.seconds + 20))
        #expect(third.began.isEmpty && third.ended.map(\.subject) == ["fcm production"])
        #expect(list.open.map(\.since) == [later])
    }

    @Test func numbersProblemsOfSameName() {
        var list = ProblemList()
        let twice = [Problem](repeating: Problem(.credentialRefused, "Refused.", subject: "push key"), count: 2)
        let now = Timestamp(seconds: 1_800_000_000)
        #expect(list.update(twice, now: now).began.map(\.subject) == ["push key", "push key (2)"])
        #expect(list.update(twice, now: now).began.isEmpty)
        let withoutSubject = [Problem](repeating: Problem(.tokensMostlyBad, "Bad."), count: 2)
        #expect(list.update(withoutSubject, now: now).began.map(\.subject) == ["", "2"])
    }

    @Test func keepsTimeOfLastProviderProblem() {
        var list = ProblemList()
        let (first, second) = (Timestamp(seconds: 1_800_000_000), Timestamp(seconds: 1_800_000_010))
        _ = list.update([Problem(.providerSilent, "fcm production: no answer.", subject: "fcm production")], now: first)
        _ = list.update([Problem(.resultsFull, "A queue is full.", subject: "martlet.results")], now: second)
        #expect(list.lastProviderProblem == first)
    }
}
