import DeliveryPipeline
import Testing

/// Places that are written down, so that nothing is searched for.
@Suite struct OrderTests {
    @Test func queuesAreInTheirPlaces() {
        #expect(JobQueue.all.map(\.index) == Array(JobQueue.all.indices))
    }

    @Test func kindsAreInTheirPlaces() {
        #expect(OutcomeKind.allCases.map(\.place) == Array(OutcomeKind.allCases.indices))
    }
}
