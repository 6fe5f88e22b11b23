import EventNames

extension EventName {
    static let ledgerKept = EventName("ledger.started")
    static let notAnEvent = EventName("ledger.event.unusable", repeats: true)
    static let ledgerUnwritten = EventName("ledger.write.failed", repeats: true)
    static let ledgerUnkept = EventName("ledger.partitions.failed", repeats: true)
    static let ledgerResumed = EventName("ledger.write.resumed")
}
