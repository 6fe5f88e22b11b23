import DeliveryPipeline

/// A detector of problems of the broker.
struct BrokerProblems {
    let facts: StatusFacts

    var all: [Problem] {
        var found: [Problem] = []
        if facts.workingSeconds >= Problem.graceSeconds, !facts.view.isDraining {
            let isAway = !facts.counts.isConsuming && !facts.counts.isPublishing && !facts.counts.isBlocked
            if isAway {
                let text = "No connection to RabbitMQ is open. This worker receives no jobs and publishes no outcomes."
                found.append(Problem(.brokerSendsNothing, text))
            } else if !facts.counts.isConsuming {
                found.append(
                    Problem(
                        .brokerSendsNothing,
                        "This worker receives no jobs because a connection to RabbitMQ is not open."))
            }
            if !isAway, !facts.counts.isPublishing {
                found.append(
                    Problem(
                        .brokerTakesNothing,
                        "RabbitMQ accepts no messages from this worker: it is unreachable or blocks publishers."))
            }
        }
        if facts.counts.isPublishing, facts.counts.unconfirmedSeconds >= Problem.graceSeconds {
            found.append(
                Problem(
                    .brokerConfirmsNothing,
                    "RabbitMQ has not confirmed a message that was published "
                        + "\(Phrase.duration(facts.counts.unconfirmedSeconds)) ago."))
        }
        return found + refusals
    }

    /// The problems of exchanges with messages that RabbitMQ refused in the last minute, or with refused messages that
    /// wait to be published again. If a full results queue refuses events, ``OtherProblems`` reports the problem,
    /// because only the queue's consumer can end it.
    private var refusals: [Problem] {
        let exchanges = Set(facts.minute.refused.keys).union(facts.counts.refusedWaiting.keys)
        return exchanges.sorted().compactMap { exchange in
            let answer = facts.counts.refusals[exchange]
            if exchange == facts.resultsExchange, answer == nil { return nil }
            let (refused, waiting) = (facts.minute.refused[exchange] ?? 0, facts.counts.refusedWaiting[exchange] ?? 0)
            let parts = [
                refused > 0 ? "refused \(Phrase.count(refused, "message")) in the last minute" : "refused messages",
                waiting > 0 ? "\(Phrase.figure(waiting)) wait to be published again" : nil,
            ].compactMap(\.self)
            return Problem(
                .brokerRefuses,
                "RabbitMQ \(parts.joined(separator: ", and ")) (exchange \(exchange))\(answer.map { ": \($0)" } ?? "").",
                subject: exchange, party: answer == nil ? nil : .ours)
        }
    }
}
