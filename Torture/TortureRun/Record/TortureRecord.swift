package import PushModel

/// All that was seen of a run, as a value: what it is judged by. Times are milliseconds since 1970.
package struct TortureRecord: Sendable {
    package var limits = Limits()
    package var jobs: [Int: JobRecord] = [:]
    package var outcomes: [OutcomeRecord] = []
    package var sightings: [SightingRecord] = []
    package var faults: [FaultRecord] = []
    /// Whose device tokens are marked dead in the database.
    package var marked: Set<RecipientID> = []
    /// Messages in the broker's queues after all workers have ended; those at a worker have come back by then.
    package var waiting: [String: Int] = [:]
    /// Why jobs are in the dead-letter queue.
    package var dead: [String] = []
    package var memory: [MemorySample] = []
    package var workerEnds: [WorkerEnd] = []
    /// What the harness could not make sense of.
    package var oddities: [String] = []
    /// True: everything was settled in time.
    package var isSettled = true

    package init() {}
}

/// What a run may take, from its profile.
package struct Limits: Sendable {
    package var workers = 3
    package var openJobs = 120
    package var maximumInFlight = 2_000
    package var mostRecipients = 300
    package var memoryMegabytes = 400

    package init() {}

    package init(_ profile: Profile) {
        workers = profile.workers
        openJobs = profile.openJobs
        maximumInFlight = profile.maximumInFlight
        mostRecipients = profile.mostRecipients
        memoryMegabytes = profile.memoryLimit
    }
}

package struct JobRecord: Sendable {
    package var app: String
    package var lane: Lane
    package var isAtMostOnce: Bool
    package var recipients: [RecipientKind]
    package var published: Int64
    /// When the broker took responsibility; nil: it did not say so.
    package var confirmed: Int64?
    /// Its publisher lost the connection before the confirm and published it again.
    package var isMaybeTwice = false

    package init(
        app: String = "com.example.shop", lane: Lane = .normal, isAtMostOnce: Bool = false,
        recipients: [RecipientKind], published: Int64 = 0, confirmed: Int64? = nil
    ) {
        self.app = app
        self.lane = lane
        self.isAtMostOnce = isAtMostOnce
        self.recipients = recipients
        self.published = published
        self.confirmed = confirmed
    }
}

/// An outcome as a consumer got it.
package struct OutcomeRecord: Sendable {
    package var recipient: RecipientID
    package var kind: String
    package var reason: String?
    package var worker: String
    package var attempts: Int
    package var isRedelivered: Bool
    package var at: Int64
    package var received: Int64
    /// Which event it came in; one that came twice has the same number.
    package var event: Int
    /// The event had come before, under the same message id.
    package var isRepeated: Bool

    package init(
        recipient: RecipientID, kind: String, reason: String? = nil, worker: String = "worker-1", attempts: Int = 1,
        isRedelivered: Bool = false, at: Int64 = 0, received: Int64 = 0, event: Int, isRepeated: Bool = false
    ) {
        self.recipient = recipient
        self.kind = kind
        self.reason = reason
        self.worker = worker
        self.attempts = attempts
        self.isRedelivered = isRedelivered
        self.at = at
        self.received = received
        self.event = event
        self.isRepeated = isRepeated
    }
}

/// What the simulator saw of a request.
package struct SightingRecord: Sendable {
    package enum What: Sendable, Hashable { case arrived, disowned, answered(Int), unanswered }

    package var recipient: RecipientID
    package var what: What
    package var at: Int64

    package init(recipient: RecipientID, what: What, at: Int64 = 0) {
        self.recipient = recipient
        self.what = what
        self.at = at
    }
}

package struct FaultRecord: Sendable {
    package var fault: Fault
    package var start: Int64
    package var end: Int64
    /// What went otherwise than planned.
    package var note: String?

    package init(fault: Fault, start: Int64, end: Int64, note: String? = nil) {
        self.fault = fault
        self.start = start
        self.end = end
        self.note = note
    }
}

package struct MemorySample: Sendable {
    package var worker: Int
    /// Counts its starts.
    package var incarnation: Int
    package var at: Int64
    package var kilobytes: Int

    package init(worker: Int, incarnation: Int, at: Int64, kilobytes: Int) {
        self.worker = worker
        self.incarnation = incarnation
        self.at = at
        self.kilobytes = kilobytes
    }
}

/// A worker's end that was not by SIGKILL of ours.
package struct WorkerEnd: Sendable {
    package var worker: Int
    package var at: Int64
    package var status: Int32
    /// SIGTERM had been sent.
    package var wasAsked: Bool
    /// It was past waiting for the database, and had something to drain.
    package var wasRunning: Bool
    package var log: String

    package init(
        worker: Int, at: Int64, status: Int32, wasAsked: Bool, wasRunning: Bool = true, log: String = ""
    ) {
        self.worker = worker
        self.at = at
        self.status = status
        self.wasAsked = wasAsked
        self.wasRunning = wasRunning
        self.log = log
    }
}
