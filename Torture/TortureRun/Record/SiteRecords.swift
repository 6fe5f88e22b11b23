package struct FaultRecord: Sendable {
    package var fault: Fault
    package var start: Int64
    package var end: Int64
    /// A deviation from the plan, or `nil`.
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
    /// The number of the worker's start.
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

/// A job that a worker moved to the suspects.
package struct SuspectRecord: Sendable {
    package var job: Int?
    package var received: Int64

    package init(job: Int?, received: Int64) {
        self.job = job
        self.received = received
    }
}

/// A worker that started while the others were overloaded.
package struct JoinRecord: Sendable {
    package var worker: Int
    /// The time at which the worker logged that it works, or `nil` if it did not.
    package var ready: Int64?
    /// The time of its first outcome of a recipient of the flood, or `nil` if there was none in time.
    package var firstOutcome: Int64?
    /// The number of recipients of the flood without an outcome at that time, or at the time limit.
    package var left: Int

    package init(worker: Int, ready: Int64?, firstOutcome: Int64?, left: Int) {
        self.worker = worker
        self.ready = ready
        self.firstOutcome = firstOutcome
        self.left = left
    }
}

/// The end of a worker that the run did not cause with SIGKILL.
package struct WorkerEnd: Sendable {
    package var worker: Int
    package var at: Int64
    package var status: Int32
    /// Whether SIGTERM had been sent.
    package var wasAsked: Bool
    /// Whether SIGTERM had been sent twice.
    package var wasHurried: Bool
    /// Whether the worker had finished waiting for the database, and therefore had something to drain.
    package var wasRunning: Bool
    package var log: String

    package init(
        worker: Int, at: Int64, status: Int32, wasAsked: Bool, wasHurried: Bool = false, wasRunning: Bool = true,
        log: String = ""
    ) {
        self.worker = worker
        self.at = at
        self.status = status
        self.wasAsked = wasAsked
        self.wasHurried = wasHurried
        self.wasRunning = wasRunning
        self.log = log
    }
}
