import AMQPClient
import Contract
import Testing

@Suite struct BindingCheckTests {
    private typealias Binding = BindingCheck.Binding

    private let topology = PipelineNames().topology(delays: [7])

    /// The bindings that `martlet topology` creates.
    private var bindings: Set<Binding> {
        Set(
            topology.bindings.map {
                Binding(source: $0.exchange, destination: $0.queue, isQueue: true, routingKey: $0.routingKey)
            })
    }

    private func check(_ found: Set<Binding>) -> BindingCheck {
        BindingCheck(topology, jobs: "martlet.jobs", found: found)
    }

    @Test func reportsNothingForCorrectBindings() {
        let good = check(bindings)
        #expect(good.gaps == [] && good.strays == [] && good.guests == [])
    }

    @Test func reportsMissingBindings() {
        let nothing = check([])
        #expect(nothing.gaps.count == topology.bindings.count)
        #expect(nothing.gaps.contains("martlet.jobs does not lead to martlet.jobs.bulk, key \"bulk\""))
        #expect(nothing.gaps.contains("martlet.delay.7 does not lead to martlet.delay.7, key \"\""))
        let noEmptyKey = bindings.filter { $0.source != "martlet.jobs" || !$0.routingKey.isEmpty }
        #expect(check(noEmptyKey).gaps == ["martlet.jobs does not lead to martlet.jobs.normal, key \"\""])
    }

    private func check(
        adding source: String, _ destination: String, isQueue: Bool = true, key: String
    ) -> BindingCheck {
        let added = Binding(source: source, destination: destination, isQueue: isQueue, routingKey: key)
        return check(bindings.union([added]))
    }

    @Test func notesForeignQueueThatReceivesCopies() {
        let audit = check(adding: "martlet.jobs", "audit", key: "urgent")
        #expect(audit.guests == [#"the exchange martlet.jobs leads with key "urgent" to the queue audit"#])
        #expect(audit.strays == [] && audit.gaps == [])
        #expect(check(adding: "martlet.jobs", "martlet.jobs.bulk", key: "more").guests.count == 1, "unused key")
    }

    @Test(arguments: [
        ("martlet.jobs.bulk", true), ("martlet.jobs.bulk", false), ("martlet.moved", false), ("martlet.dead", true),
    ])
    func reportsKeyThatAlsoRoutesToAnotherQueue(name: String, isQueue: Bool) {
        let found = check(adding: "martlet.jobs", name, isQueue: isQueue, key: "urgent")
        #expect(found.strays.first?.hasSuffix(" \(name) as well: such jobs come twice") == true, "\(found)")
        #expect(found.guests == [])
    }

    @Test func ignoresBindingsOfOtherExchanges() {
        #expect(check(adding: "martlet.dead", "audit", key: "#") == check(bindings))
    }

    @Test func checksExchangesThatRouteJobs() {
        let exchanges = BindingCheck.exchanges(topology)
        #expect(exchanges.contains("martlet.jobs") && exchanges.contains("martlet.moved"))
        #expect(!exchanges.contains("martlet.results"), "users may bind queues to the results exchange")
    }
}
