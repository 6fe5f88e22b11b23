/// A condition that every run must fulfil. The raw value describes it in the report.
package enum Invariant: String, Sendable, CaseIterable {
    case nothingLost =
        "each recipient of a confirmed job has an outcome, or was accepted with results: problems"
    case honest = "each outcome agrees with the answers of the service"
    case duplicatesAreMarked = "of several outcomes of a recipient, all but one have redelivered"
    case notMultiplied = "a job has at most as many outcomes without redelivered as published messages"
    case namedOnce = "all parts of a split job without an id have the same generated id"
    case duplicatesExplained = "a recipient is sent to twice only if a fault hit a worker that had its job"
    case repeatedEventsExplained = "an event is repeated only if a fault hit its worker, the broker or a queue"
    case repeatedEventsBounded = "an event that a full queue rejects is repeated only at growing intervals"
    case eventsBounded = "a result event has at most 256 KiB"
    case arrivalsExplained = "a recipient has several requests only if an outcome has redelivered or more attempts"
    case atMostOnce = "an at_most_once recipient has at most one request that may have been accepted"
    case neverEarly = "no push reaches its service before send_at"
    case onTime = "without faults, each push reaches its service within two seconds of send_at"
    case lanesArePrompt =
        "while no fault has effects, 99 % of a lane's recipients have an outcome within 5 s (urgent) or 15 s (normal)"
    case appsAreEqual = "while no fault has effects, no app waits much longer than the other apps of its lane"
    case neverLate = "no push reaches its service after expires_at, unless a fault held it up"
    case cancelledStay = "a job that was cancelled in time makes no request, and its outcomes are Cancelled"
    case cancelledStop = "no push is sent later than five seconds after its job was cancelled"
    case paced = "requests do not exceed the rate limit of an app or a job"
    case rateIsUsed =
        "after the last fault, an app with a rate limit and waiting recipients is sent to at its rate"
    case duplicatesBounded = "duplicates after one fault do not exceed what its workers had in flight"
    case notVacuous = "each bound is smaller than the number that it bounds"
    case deadAreMarked = "device_tokens has exactly the tokens that a service reported as dead"
    case retriedInTime = "no retry is earlier than the service demands"
    case credentialsHold = "no push failed because of a credential"
    case queuesEmpty = "all queues are empty at the end, without unacknowledged messages"
    case unusableAreDead =
        "the dead-letter queue has exactly the unusable jobs, each with its reason"
    case rejectionsAreReported = "a result event reports each unusable job"
    case suspectsJustified = "only jobs that may have been delivered five times become suspects"
    case acknowledgedInTime = "the broker closed no channel because of a missing acknowledgement"
    case latecomersWork = "a worker that joins under full load sends within eight seconds"
    case workersLive = "no worker ends on its own, and stopped workers exit with status 0"
    case memoryFlat = "the memory of each worker is bounded and does not grow"
    case settled = "everything is settled in time"
    case understood = "the run can interpret all records"
}

/// A violation of an invariant.
package struct Finding: Sendable, Hashable {
    package let invariant: Invariant
    package let recipient: RecipientID?
    package let text: String

    init(_ invariant: Invariant, _ recipient: RecipientID? = nil, _ text: String) {
        self.invariant = invariant
        self.recipient = recipient
        self.text = text
    }
}
