import DeliveryPipeline
import TestSupport
import Testing

@Suite struct PendingSettlementsTests {
    typealias Ledger = PendingSettlements<String>

    /// An output may report a recipient twice. At the second report, the entry's place may belong to another job.
    @Test func ignoresLateReportAfterReuseOfPlace() {
        var ledger = PendingSettlements<String>()
        let settled = ledger.open("a", obligations: 1)
        #expect(ledger.met(.init(entry: settled, count: 1)) == "a")
        let other = ledger.open("b", obligations: 2)
        #expect(ledger.met(.init(entry: settled, count: 1)) == nil)
        ledger.oweMore(settled)
        #expect(ledger.owing(of: other) == 2 && ledger.owing == 2)
        #expect(ledger.delivery(of: settled) == nil)
        #expect(ledger.met(.init(entry: other, count: 2)) == "b")
    }

    @Test(arguments: [-1, 7, .max]) func ignoresUnknownEntry(entry: Int) {
        var ledger = PendingSettlements<String>()
        _ = ledger.open("a", obligations: 1)
        #expect(ledger.met(.init(entry: entry, count: 1)) == nil)
        ledger.oweMore(entry)
        #expect(ledger.owing == 1)
    }

    @Test func returnsDeliveryWithLastSettlement() {
        var ledger = Ledger()
        let entry = ledger.open("a", obligations: 3)
        ledger.expect(group: 7, for: [.init(entry: entry, count: 2)])
        let met1 = ledger.met(.init(entry: entry, count: 1))
        #expect(met1 == nil)
        #expect(ledger.owing == 2)
        let met2 = ledger.met(group: 7)
        #expect(met2 == ["a"])
        #expect(ledger.owing == 0)
        #expect(ledger.openEntries == 0)
        #expect(ledger.openGroups == 0)
    }

    @Test func settlesManyDeliveriesWithOneGroup() {
        var ledger = Ledger()
        let entries = ["a", "b", "c"].map { ledger.open($0, obligations: 1) }
        ledger.oweMore(entries[1])
        ledger.expect(group: 1, for: entries.map { .init(entry: $0, count: 1) })
        let met1 = ledger.met(group: 1)
        #expect(met1 == ["a", "c"])
        let met2 = ledger.met(.init(entry: entries[1], count: 1))
        #expect(met2 == "b")
    }

    @Test func ignoresRepeatedAndUnknownConfirms() {
        var ledger = Ledger()
        let entry = ledger.open("a", obligations: 2)
        ledger.expect(group: 1, for: [.init(entry: entry, count: 1)])
        let met1 = ledger.met(group: 1)
        #expect(met1.isEmpty)
        let met2 = ledger.met(group: 1)
        #expect(met2.isEmpty)
        let met3 = ledger.met(group: 99)
        #expect(met3.isEmpty)
        #expect(ledger.owing == 1)
    }

    @Test func ignoresReportsForSettledEntry() {
        var ledger = Ledger()
        let entry = ledger.open("a", obligations: 1)
        let met1 = ledger.met(.init(entry: entry, count: 5))
        #expect(met1 == "a")
        let met2 = ledger.met(.init(entry: entry, count: 1))
        #expect(met2 == nil)
        ledger.oweMore(entry)
        #expect(ledger.owing == 0)
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func returnsEachDeliveryOnceAndNeverEarlyInAnyOrder(seed: UInt64) {
        var model = LedgerModel(seed: seed)
        for _ in 0..<600 { model.step() }
        model.finish()
        #expect(model.faults.isEmpty, "seed \(seed)")
    }
}

/// A simple model of `PendingSettlements`. Random operations are applied to both, and their results are compared.
private struct LedgerModel {
    private struct Account {
        let entry: Int
        var owing: Int
        var inNoGroup: Int
    }

    private var random: SplitMix64
    private var ledger = PendingSettlements<Int>()
    private var accounts: [Int: Account] = [:]
    private var groups: [UInt64: [(delivery: Int, count: Int)]] = [:]
    private var lastDelivery = 0
    private var lastGroup: UInt64 = 0
    private var handedOut: Set<Int> = []
    private var mostOpen = 0
    private(set) var faults: [String] = []

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func step() {
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<3: open()
        case 3..<6: expect()
        case 6..<9: if let group = groups.keys.sorted().randomElement(using: &random) { meet(group) }
        case 9: meet(UInt64.random(in: 0...lastGroup + 3, using: &random))
        case 10:
            guard let delivery = accounts.keys.sorted().randomElement(using: &random) else { return }
            ledger.oweMore(accounts[delivery]?.entry ?? 0)
            accounts[delivery]?.owing += 1
            accounts[delivery]?.inNoGroup += 1
        default: meetDirectly()
        }
        check()
    }

    /// Completes all pending settlements.
    mutating func finish() {
        while !accounts.isEmpty, faults.isEmpty {
            expect()
            if let group = groups.keys.sorted().randomElement(using: &random) { meet(group) }
            check()
        }
        if ledger.openGroups != groups.count { faults.append("\(ledger.openGroups) groups are still open") }
        if handedOut.count != lastDelivery { faults.append("\(handedOut.count) of \(lastDelivery) returned") }
    }

    private mutating func open() {
        lastDelivery += 1
        let obligations = Int.random(in: 1...6, using: &random)
        let entry = ledger.open(lastDelivery, obligations: obligations)
        if accounts.values.contains(where: { $0.entry == entry }) { faults.append("place \(entry) is used twice") }
        accounts[lastDelivery] = Account(entry: entry, owing: obligations, inNoGroup: obligations)
        mostOpen = max(mostOpen, accounts.count)
        if entry & 0xFFFF_FFFF >= mostOpen { faults.append("place \(entry) exceeds \(mostOpen) open entries") }
    }

    private mutating func expect() {
        var shares: [(delivery: Int, count: Int)] = []
        for delivery in accounts.keys.sorted() {
            guard let account = accounts[delivery], account.inNoGroup > 0, Bool.random(using: &random) else { continue }
            let count = Int.random(in: 1...account.inNoGroup, using: &random)
            shares.append((delivery, count))
            accounts[delivery]?.inNoGroup -= count
        }
        guard !shares.isEmpty else { return }
        shares.shuffle(using: &random)
        lastGroup += 1
        groups[lastGroup] = shares
        ledger.expect(
            group: lastGroup, for: shares.map { .init(entry: accounts[$0.delivery]?.entry ?? 0, count: $0.count) })
    }

    private mutating func meet(_ group: UInt64) {
        let shares = groups.removeValue(forKey: group) ?? []
        compare(ledger.met(group: group), with: shares.filter { pay($0.delivery, $0.count) }.map(\.delivery))
    }

    private mutating func meetDirectly() {
        let candidates = accounts.filter { $0.value.inNoGroup > 0 }.keys.sorted()
        guard let delivery = candidates.randomElement(using: &random), let entry = accounts[delivery]?.entry else {
            return
        }
        accounts[delivery]?.inNoGroup -= 1
        compare(ledger.met(.init(entry: entry, count: 1)).map { [$0] } ?? [], with: pay(delivery, 1) ? [delivery] : [])
    }

    /// Subtracts settlements from a delivery, and returns whether none is pending.
    private mutating func pay(_ delivery: Int, _ count: Int) -> Bool {
        accounts[delivery]?.owing -= count
        guard accounts[delivery]?.owing == 0 else { return false }
        accounts[delivery] = nil
        return true
    }

    private mutating func compare(_ got: [Int], with expected: [Int]) {
        if got != expected { faults.append("returned \(got) instead of \(expected)") }
        for delivery in got where !handedOut.insert(delivery).inserted { faults.append("\(delivery) repeated") }
    }

    private mutating func check() {
        let owing = accounts.values.reduce(0) { $0 + $1.owing }
        if ledger.owing != owing { faults.append("\(ledger.owing) pending instead of \(owing)") }
        if ledger.openEntries != accounts.count { faults.append("\(ledger.openEntries) open, not \(accounts.count)") }
    }
}
