import EventNames

extension EventName {
    static let stopping = EventName("worker.stopping")
    static let settled = EventName("worker.settled")
    static let unsettled = EventName("worker.unsettled")
    static let starting = EventName("worker.starting")
    static let stopped = EventName("worker.stopped")
    static let started = EventName("worker.started")
    static let waitingForDatabase = EventName("database.waiting", repeats: true)
    static let credentialExpired = EventName("credential.expired")
    static let credentialExpires = EventName("credential.expires")
    static let fleetKnown = EventName("fleet.read.resumed")
    static let fleetForbidden = EventName("fleet.forbidden")
    static let fleetUnknown = EventName("fleet.read.failed")
    static let clearingFailed = EventName("database.clearing.failed", repeats: true)
    static let reloaded = EventName("configuration.reloaded")
    static let reloadRefused = EventName("configuration.refused")
    static let stoppedTwice = EventName("worker.killed")
    static let linesDropped = EventName("log.dropped")
    static let refusalsUnrecorded = EventName("refusals.record.failed", repeats: true)
}
