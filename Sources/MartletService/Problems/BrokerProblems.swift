import DeliveryPipeline

/// Problems of the broker.
struct BrokerProblems {
    let facts: StatusFacts

    var all: [Problem] {
        var found: [Problem] = []
        if facts.workingSeconds >= Problem.graceSeconds, !facts.view.isDraining {
            if !facts.counts.isConsuming {
                found.append(
                    Problem(.brokerSendsNothing, "This worker gets no jobs: a connection to RabbitMQ is not open."))
            }
            if !facts.counts.isPublishing {
                found.append(
                    Problem(
                        .brokerTakesNothing,
                        "RabbitMQ takes no messages from this worker: it is away, or blocks publishers."))
            }
        }
        if facts.counts.isPublishing, facts.counts.unconfirmedSeconds >= Problem.graceSeconds {
            found.append(
                Problem(
                    .brokerConfirmsNothing,
                    "RabbitMQ does not confirm: what was published "
                        + "\(Phrase.duration(facts.counts.unconfirmedSeconds)) ago is not safe yet."))
        }
        let refused = facts.minute.refused.sorted { $0.key < $1.key }
        for (exchange, count) in refused where exchange != facts.resultsExchange {
            found.append(
                Problem(
                    .brokerRefuses,
                    "RabbitMQ refused \(Phrase.count(count, "message")) in the last minute: \(exchange).",
                    subject: exchange))
        }
        return found
    }
}
