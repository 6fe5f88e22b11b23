import Contract
import DeliveryPipeline
import Testing

/// Tests of the hard-coded indices, which save searches.
@Suite struct OrderTests {
    @Test func ordersQueuesByIndex() {
        #expect(JobQueue.all.map(\.index) == Array(JobQueue.all.indices))
    }

    @Test func ordersOutcomeKindsByPlace() {
        #expect(OutcomeKind.allCases.map(\.place) == Array(OutcomeKind.allCases.indices))
    }
}
