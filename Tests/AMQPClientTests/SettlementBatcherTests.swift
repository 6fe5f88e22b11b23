import AMQPClient
import TestSupport
import Testing

@Suite("Settlement batcher")
struct SettlementBatcherTests {
    typealias Acknowledgement = SettlementBatcher.Acknowledgement

    @Test("consecutive acknowledgements from the first open delivery become one multiple")
    func mergesConsecutiveAcknowledgements() {
        var ledger = SettlementBatcher()
        for number in [2, 1, 3] as [UInt64] { #expect(acknowledge(&ledger, number, multiple: false)) }
        #expect(takeBatch(&ledger) == [Acknowledgement(number: 3, multiple: true)])
        #expect(takeBatch(&ledger) == [])
        #expect(ledger.lowestOpen == 4)
    }

    @Test("deliveries after a gap are acknowledged singly")
    func acknowledgesSinglyAfterGap() {
        var ledger = SettlementBatcher()
        for number in [1, 3, 5] as [UInt64] { #expect(acknowledge(&ledger, number, multiple: false)) }
        #expect(
            takeBatch(&ledger) == [
                Acknowledgement(number: 1, multiple: true), Acknowledgement(number: 3, multiple: false),
                Acknowledgement(number: 5, multiple: false),
            ])
        #expect(acknowledge(&ledger, 2, multiple: false))
        #expect(takeBatch(&ledger) == [Acknowledgement(number: 2, multiple: true)])
        #expect(ledger.lowestOpen == 4)
    }

    @Test("no delivery is settled twice")
    func settlesEachDeliveryOnce() {
        var ledger = SettlementBatcher()
        #expect(acknowledge(&ledger, 3, multiple: true))
        #expect(!acknowledge(&ledger, 2, multiple: false))
        #expect(!acknowledge(&ledger, 3, multiple: true))
        #expect(settle(&ledger, 5))
        #expect(!settle(&ledger, 5))
        #expect(!acknowledge(&ledger, 5, multiple: false))
        #expect(takeBatch(&ledger) == [Acknowledgement(number: 3, multiple: true)])
    }

    @Test("in random orders, the broker settles exactly the acknowledged deliveries", arguments: 0..<50)
    func settlesExactlyAcknowledgedDeliveries(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var ledger = SettlementBatcher()
        var open: Set<UInt64> = []
        var atBroker: Set<UInt64> = []
        var rejected: Set<UInt64> = []
        var acknowledged: Set<UInt64> = []
        var last: UInt64 = 0
        for _ in 0..<500 {
            for _ in 0..<Int.random(in: 0..<8, using: &random) {
                last += 1
                open.insert(last)
                atBroker.insert(last)
            }
            if Bool.random(using: &random), let number = open.randomElement(using: &random) {
                #expect(settle(&ledger, number))
                open.remove(number)
                rejected.insert(number)
                atBroker.remove(number)
            }
            for number in open.shuffled(using: &random).prefix(Int.random(in: 0..<8, using: &random)) {
                #expect(acknowledge(&ledger, number, multiple: false))
                open.remove(number)
                acknowledged.insert(number)
            }
            for sent in ledger.takeBatch() {
                // As in the broker, an acknowledgement with the flag `multiple` settles all open deliveries up to its
                // number. The delivery with this number must be open.
                #expect(atBroker.contains(sent.number))
                let taken: Set = sent.multiple ? atBroker.filter { $0 <= sent.number } : [sent.number]
                #expect(taken.isSubset(of: acknowledged))
                atBroker.subtract(taken)
            }
            #expect(atBroker == open)
        }
    }

    // `#expect` can't contain a mutating call on a variable, so these functions wrap the calls.
    private func acknowledge(_ ledger: inout SettlementBatcher, _ number: UInt64, multiple: Bool) -> Bool {
        ledger.acknowledge(number, multiple: multiple)
    }

    private func settle(_ ledger: inout SettlementBatcher, _ number: UInt64) -> Bool {
        ledger.settle(number)
    }

    private func takeBatch(_ ledger: inout SettlementBatcher) -> [Acknowledgement] {
        ledger.takeBatch()
    }
}
