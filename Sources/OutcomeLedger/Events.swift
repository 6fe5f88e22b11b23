import Foundations

extension EventName {
    static let ledgerKept = EventName("ledger.started")
    static let notAnEvent = EventName("ledger.event.unusable", repeats: true)
    static let ledgerUnwritten = EventName("ledger.write.failed")
    static let ledgerResumed = EventName("ledger.write.resumed")
    static let ledgerUnkept = EventName("ledger.partitions.failed")
    static let ledgerKeptAgain = EventName("ledger.partitions.resumed")
}
