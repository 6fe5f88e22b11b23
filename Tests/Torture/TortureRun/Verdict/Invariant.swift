/// A condition that every run must fulfil. The raw value describes it in the report.
package enum Invariant: String, Sendable, CaseIterable {
    case nothingLost =
        "every recipient of a confirmed job has a final outcome, or was sent to and asked for problems only"
    case honest = "outcomes are true: sent was accepted, what was refused was not"
    case duplicatesOwnUp = "of several outcomes, all but one say that the job was delivered again"
    case notMultiplied = "no more runs of a job than messages of it, but for those that say so"
    case namedOnce = "a job of thousands without an id gets one, and no second one from whoever splits it again"
    case duplicatesExplained = "several outcomes only where a disturbance brought the job back"
    case repeatedEventsExplained = "an event comes twice only where the broker was disturbed or a queue was full"
    case repeatedEventsBounded = "an event that a full queue refuses comes to others after growing waits only"
    case eventsBounded = "no event is larger than 256 KiB"
    case arrivalsExplained = "several requests only where an outcome says that it was tried again"
    case atMostOnce = "at_most_once: at most one request that may have been accepted"
    case neverEarly = "send_at: nothing reached its service before its time"
    case onTime = "send_at: where nothing goes wrong, everything reached its service within two seconds of its time"
    case neverLate = "expires_at: nothing that could be sent in time reached its service after it"
    case cancelledStay = "a job that was cancelled in time made no request, and its outcomes say so"
    case cancelledStop = "what is not on the wire five seconds after its job was cancelled is not sent"
    case paced = "an app, or a job, that has a rate is sent to no faster"
    case rateIsUsed =
        "an app that has a rate, and more to send, is sent to at its rate when nothing goes wrong any more"
    case duplicatesBounded = "no more duplicates than what the disturbed workers held"
    case deadAreMarked = "whoever is told to be unregistered is marked, and nobody that the service has not called dead"
    case retriedInTime = "nothing is sent again sooner than its service wants it"
    case credentialsHold = "no push failed because of a credential"
    case queuesEmpty = "queues are empty, nothing unacknowledged"
    case unusableAreDead =
        "each job that can't be used is in the dead-letter queue with its reason, and nothing else is"
    case rejectionsAreTold = "an event tells of each job that can't be used"
    case suspectsEarned = "only what was delivered five times is set apart"
    case acknowledgedInTime = "the broker closed no channel for want of an acknowledgement"
    case latecomersWork = "a worker that joins while there is a flood has sent something within eight seconds"
    case workersLive = "no worker ended unless it was told to, and then with 0"
    case memoryFlat = "memory of the workers is bounded and flat"
    case settled = "everything was settled in time"
    case understood = "everything the run saw makes sense"
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
