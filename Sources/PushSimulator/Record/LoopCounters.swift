/// The counters of one event loop.
struct LoopCounters {
    private struct Tally: Hashable {
        var status: Int
        var reason: String?
    }

    var simple = SimulatorCounters()
    // Answers with status 200 and no reason have their own counter, because most requests change it. The dictionary
    // counts all other answers.
    private var acceptedAnswers = 0
    private var answersByReason: [Tally: Int] = [:]

    mutating func answered(_ answer: GivenAnswer) {
        if answer.status == 200, answer.reason == nil {
            acceptedAnswers += 1
        } else {
            answersByReason[Tally(status: answer.status, reason: answer.reason), default: 0] += 1
        }
    }

    mutating func streamsOpen(_ count: Int) {
        simple.mostOpenStreams = max(simple.mostOpenStreams, count)
    }

    mutating func count(_ name: String) {
        simple.others = simple.others ?? [:]
        simple.others?[name, default: 0] += 1
    }

    /// The sum of all counters of the event loop. It does not include open connections and streams.
    var sum: SimulatorCounters {
        var sum = simple
        if acceptedAnswers > 0 {
            sum.byStatus[200] = acceptedAnswers
        }
        for (tally, count) in answersByReason {
            sum.byStatus[tally.status, default: 0] += count
            if let reason = tally.reason {
                sum.byReason[reason, default: 0] += count
            }
        }
        return sum
    }
}
