import AMQPClient
import DeliveryPipeline
import Testing

@Suite struct BindingCheckTests {
    private typealias Binding = BindingCheck.Binding

    /// Returns the bindings that `martlet topology` creates for this number of shards.
    private func bindings(_ shards: Int, over isOver: Bool? = nil) -> Set<Binding> {
        let topology = PipelineNames(shards: shards).topology(delays: [7])
        var found = Set(
            topology.bindings.map {
                Binding(source: $0.exchange, destination: $0.queue, isQueue: true, routingKey: $0.routingKey)
            })
        for way in topology.sharding?.ways ?? [] {
            let isOver = isOver ?? (shards > 1)
            for key in way.keys {
                found.insert(
                    Binding(
                        source: "martlet.jobs", destination: isOver ? way.middle.name : way.queues[0], isQueue: !isOver,
                        routingKey: key))
            }
            guard isOver else { continue }
            for queue in way.queues.prefix(shards) {
                found.insert(Binding(source: way.middle.name, destination: queue, isQueue: true, routingKey: ""))
            }
        }
        return found
    }

    private func check(_ shards: Int, _ found: Set<Binding>) -> BindingCheck {
        BindingCheck(PipelineNames(shards: shards).topology(delays: [7]), found: found)
    }

    @Test(arguments: [1, 2, 16])
    func reportsNothingForCorrectBindings(shards: Int) {
        for over in [shards > 1, true] {
            let good = check(shards, bindings(shards, over: over))
            #expect(good.copies == [] && good.gaps == [] && good.differences == [])
            #expect(good.strays == [] && good.guests == [])
        }
    }

    @Test func reportsCopiesAfterImportWithOtherShardCount() {
        for (shards, before) in [(3, 1), (1, 3)] {
            let both = check(shards, bindings(shards).union(bindings(before)))
            #expect(both.copies.count == 4, "each of the 4 keys must be reported: \(both)")
            #expect(
                both.copies.contains {
                    $0.contains(
                        "key \"urgent\" to the queue martlet.jobs.urgent and, through the exchange martlet.jobs.urgent, to martlet.jobs.urgent.2, martlet.jobs.urgent.3"
                    )
                }, "\(both)")
            #expect(both.gaps == [])
        }
        let harmless = check(1, bindings(1).union(bindings(1, over: true)))
        #expect(harmless.copies == [] && harmless.differences == [], "two routes to one queue make no copies")
    }

    @Test func reportsMissingRoutes() {
        let nothing = check(2, [])
        #expect(nothing.gaps.contains("martlet.jobs does not route key \"bulk\""))
        #expect(nothing.gaps.contains("martlet.delay.7 is not bound to martlet.delay.7, key \"\""))
        #expect(nothing.copies == [] && nothing.differences == [])
        let hollow = bindings(2).filter { $0.source != "martlet.jobs.bulk" }
        #expect(check(2, hollow).gaps == ["martlet.jobs does not route key \"bulk\""])
    }

    @Test func reportsDifferentShardCount() {
        let fewer = check(1, bindings(3))
        #expect(fewer.copies == [] && fewer.gaps == [])
        #expect(
            fewer.differences.contains("martlet.jobs.bulk.2, martlet.jobs.bulk.3 gets jobs, beyond amqp.shards"),
            "\(fewer)")
        #expect(check(3, bindings(2)).differences.contains("martlet.jobs.bulk.3 gets no jobs"))
        #expect(
            check(2, bindings(1)).differences.contains("martlet.jobs bypasses martlet.jobs.normal for key \"\""))
    }

    private func strays(_ source: String, _ destination: String, isQueue: Bool = true, key: String) -> BindingCheck {
        let stray = Binding(source: source, destination: destination, isQueue: isQueue, routingKey: key)
        return check(3, bindings(3).union([stray]))
    }

    @Test func notesForeignQueueThatReceivesCopies() {
        let audit = strays("martlet.jobs", "audit", key: "urgent")
        #expect(audit.guests == [#"the exchange martlet.jobs routes key "urgent" to the queue audit"#])
        #expect(audit.strays == [] && audit.copies == [] && audit.gaps == [] && audit.differences == [])
        #expect(strays("martlet.jobs", "martlet.jobs.bulk", key: "more").guests.count == 1, "unused key")
    }

    @Test func reportsBindingThatTakesPartOfLane() {
        for (name, isQueue) in [("audit", true), ("audit", false), ("martlet.jobs.bulk.2", true)] {
            let found = strays("martlet.jobs.urgent", name, isQueue: isQueue, key: "")
            #expect(
                found.strays == [
                    #"the exchange martlet.jobs.urgent routes key "" to the \#(isQueue ? "queue" : "exchange") \#(name), which gets a share of the lane's jobs"#
                ])
        }
        let twice = strays("martlet.jobs.urgent", "martlet.jobs.urgent.2", key: "again").strays
        #expect(
            twice.first?.hasSuffix("martlet.jobs.urgent.2, which gets more than its share of the lane's jobs") == true)
    }

    @Test func reportsKeyThatAlsoRoutesToAnotherQueue() {
        for (name, isQueue) in [
            ("martlet.jobs.bulk", true), ("martlet.jobs.bulk", false), ("martlet.jobs.urgent.2", true),
            ("martlet.moved", false), ("martlet.dead", true),
        ] {
            let found = strays("martlet.jobs", name, isQueue: isQueue, key: "urgent")
            #expect(found.strays.first?.hasSuffix(" \(name) as well, so jobs arrive twice") == true, "\(found)")
            #expect(found.guests == [])
        }
    }

    @Test func ignoresBindingsOfOtherExchanges() {
        let copy = strays("martlet.dead", "audit", key: "#")
        #expect(copy == check(3, bindings(3)))
    }

    @Test func checksExchangesThatRouteJobs() {
        let exchanges = BindingCheck.exchanges(PipelineNames().topology(delays: [7]))
        #expect(exchanges.contains("martlet.jobs") && exchanges.contains("martlet.jobs.urgent"))
        #expect(!exchanges.contains("martlet.results"), "users may bind queues to the results exchange")
    }
}
