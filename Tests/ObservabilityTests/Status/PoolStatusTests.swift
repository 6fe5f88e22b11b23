import Metering
import Observability
import PushModel
import Testing
import WorkerTestSupport

@Suite struct PoolStatusTests {
    private let registry = MetricRegistry()

    private func count(_ family: MetricFamily, _ labels: [String], _ value: Int) {
        registry.cell(family, labels, of: registry).add(value)
        registry.cell(family, labels).add(value)
    }

    private func pool(_ credential: String, host: String = "", open: Int, streams: Int, waiting: Int) {
        let labels = ["apns", credential, "production", host]
        for state in ["connecting", "draining"] { count(.poolConnections, labels + [state], 0) }
        count(.poolConnections, labels + ["open"], open)
        count(.poolStreams, labels, streams)
        count(.poolStreamsLimit, labels, open * 500)
        count(.poolWaiting, labels, waiting)
        count(.poolWindowBlocked, labels, 3)
    }

    /// The counts of all event loops are added for each pool. Pools with the most work come first, with their labels.
    @Test func listsPoolsByLoad() throws {
        pool("7", open: 2, streams: 10, waiting: 0)
        pool("8", open: 4, streams: 10, waiting: 100)
        pool("9", open: 0, streams: 0, waiting: 0)
        pool("", host: "push.example.com", open: 1, streams: 5, waiting: 0)
        let facts = StatusFacts.sample { facts in
            facts.pools = PoolStatus.all(in: registry.page(of: PoolStatus.families))
            facts.credentials = [.sample("8", notAfter: nil)]
        }
        let shown = StatusDocument(facts).pools
        #expect(shown.count == 3)
        let first = try #require(shown.shown.first)
        #expect(
            first.credential == #"my "label""# && first.open == 8 && first.streams == 20 && first.streamsLimit == 4_000)
        #expect(first.waiting == 200 && first.windowBlocked == 6)
        #expect(shown.shown.map(\.credential).suffix(2) == ["7", nil])
        #expect(shown.shown.last?.host == "push.example.com")
    }

    @Test func showsTokenAgeOfCredential() throws {
        let facts = StatusFacts.sample { facts in
            facts.credentials = [.sample("8", notAfter: nil), .sample("9", notAfter: nil)]
            facts.tokenTimes = ["8": Timestamp(seconds: facts.now.seconds - 90)]
        }
        let ages = StatusDocument(facts).credentials.shown.map(\.tokenAge)
        #expect(Set(ages) == [90, nil])
    }
}
