package import PushModel

/// A batch of outcomes for one sink, collected so that the sink is called about once per turn.
package struct OutcomeBatch {
    private var outcomes: [Outcome] = []
    private var sink: (any OutcomeSink)?

    package init() {}

    package mutating func add(_ outcome: consuming Outcome, for sink: any OutcomeSink) {
        if self.sink !== sink {
            report()
            self.sink = sink
        }
        outcomes.append(outcome)
    }

    package mutating func report() {
        guard !outcomes.isEmpty, let sink else { return }
        let batch = outcomes
        outcomes = []
        outcomes.reserveCapacity(batch.count)
        sink.report(batch)
    }
}
