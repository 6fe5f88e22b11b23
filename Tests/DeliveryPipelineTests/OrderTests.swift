import Contract
import DeliveryPipeline
import Testing

/// Tests that hard-coded indices match the positions in the lists. The indices avoid searches.
@Suite struct OrderTests {
    @Test func ordersQueuesByIndex() {
        #expect(JobQueue.all.map(\.index) == Array(JobQueue.all.indices))
    }

    @Test func ordersOutcomeKindsByPlace() {
        #expect(OutcomeKind.allCases.map(\.place) == Array(OutcomeKind.allCases.indices))
    }
}
