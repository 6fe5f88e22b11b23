import AMQPClient

/// The publishing connection of a simulated worker, in place of an `AMQPPublisher`. As an `AMQPPublisher` does, it
/// publishes unconfirmed messages again after a lost connection and marks them as repeated.
final class PublishingConnection {
    private let worker: String
    private let network: Network
    private let deliver: (AMQPPublisherEvent) -> Void
    private var isOpen = false
    private var hasEnded = false
    /// The number of connections so far. Answers of an earlier connection are ignored.
    private var epoch = 0
    /// The publications without a verdict, in the order of publication.
    private var unconfirmed: [(number: UInt64, publication: AMQPPublication)] = []
    private var nextNumber: UInt64 = 0
    /// The time at which the last message reaches the broker, in microseconds. Later messages do not arrive earlier.
    private var lastArrival: Int64 = 0
    /// The time at which the last verdict reaches the worker, in microseconds. Later verdicts do not arrive earlier.
    private var lastAnswer: Int64 = 0

    init(_ worker: String, _ network: Network, deliver: @escaping (AMQPPublisherEvent) -> Void) {
        self.worker = worker
        self.network = network
        self.deliver = deliver
    }

    func connect() {
        guard !isOpen, !hasEnded else { return }
        network.timeline.after(microseconds: network.delay()) { [self] in
            guard !isOpen, !hasEnded else { return }
            guard network.isReachable else {
                deliver(.disconnected(AMQPError(.connectionFailed, "the broker is unreachable")))
                network.timeline.after(milliseconds: network.dice.number(500...5_000)) { [self] in connect() }
                return
            }
            isOpen = true
            epoch += 1
            deliver(.connected)
            write(unconfirmed)
        }
    }

    func cut() {
        guard isOpen else { return }
        isOpen = false
        // All unconfirmed messages were written, so the broker may have them.
        unconfirmed = unconfirmed.map { ($0.number, $0.publication.repeated) }
        deliver(.disconnected(AMQPError(.connectionLost, "the connection was cut")))
        network.timeline.after(milliseconds: network.dice.number(200...2_000)) { [self] in connect() }
    }

    func end() {
        hasEnded = true
        isOpen = false
    }

    func publish(_ publications: [AMQPPublication]) {
        let new = publications.map { publication in
            defer { nextNumber += 1 }
            return (number: nextNumber, publication: publication)
        }
        unconfirmed += new
        if isOpen { write(new) }
    }

    private func write(_ messages: [(number: UInt64, publication: AMQPPublication)]) {
        guard !messages.isEmpty else { return }
        let epoch = epoch
        lastArrival = max(lastArrival, network.timeline.now + network.delay())
        network.timeline.after(microseconds: lastArrival - network.timeline.now) { [self] in
            // If the connection was lost while the messages were on the way, the broker processes them with a
            // probability of one half.
            guard epoch == self.epoch, isOpen || network.dice.happens(0.5) else { return }
            answer(
                messages.map {
                    ($0.number, $0.publication, network.broker.publish(ModelMessage($0.publication), from: worker))
                })
        }
    }

    private func answer(_ verdicts: [(number: UInt64, publication: AMQPPublication, verdict: ModelBroker.Verdict)]) {
        let epoch = epoch
        // A confirm takes additional time, because a majority of the nodes must first write the message to disk.
        lastAnswer = max(lastAnswer, network.timeline.now + network.delay() + 1_000 + network.dice.wait(mean: 1_500))
        network.timeline.after(microseconds: lastAnswer - network.timeline.now) { [self] in
            guard epoch == self.epoch, isOpen else { return }
            for (_, publication, verdict) in verdicts where verdict == .unroutable {
                if publication.reportsUnroutable { deliver(.unroutable(publication.id)) }
            }
            let settled = Set(verdicts.map(\.number))
            unconfirmed.removeAll { settled.contains($0.number) }
            let refused = verdicts.filter { $0.verdict == .refused }.map(\.publication)
            let returned = verdicts.filter { $0.verdict == .unroutable && $0.publication.isMandatory }.map(
                \.publication)
            let confirmed = verdicts.filter {
                $0.verdict == .confirmed || $0.verdict == .unroutable && !$0.publication.isMandatory
            }.map(\.publication.id)
            if !confirmed.isEmpty { deliver(.confirmed(confirmed)) }
            let repeated = (refused + returned).filter(\.isRepeated).map(\.id)
            if !repeated.isEmpty { deliver(.mayBeTaken(repeated)) }
            if !refused.isEmpty { deliver(.refused(refused.map(\.id))) }
            for publication in returned {
                deliver(.returned(AMQPReturn(id: publication.id, code: 312, text: "NO_ROUTE")))
            }
        }
    }
}
