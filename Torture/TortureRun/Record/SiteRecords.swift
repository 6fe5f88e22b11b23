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

/// A job that a worker has put among the suspects.
package struct SuspectRecord: Sendable {
    package var job: Int?
    package var received: Int64

    package init(job: Int?, received: Int64) {
        self.job = job
        self.received = received
    }
}

/// A worker that started while the others had more than they could do.
package struct JoinRecord: Sendable {
    package var worker: Int
    /// When it said that it works; nil: it did not.
    package var ready: Int64?
    /// The time of its first outcome of a recipient of the flood, or `nil` if there was none in time.
    package var firstOutcome: Int64?
    /// Recipients of the flood that nobody had sent to by then, or when nobody waited for it any longer.
    package var left: Int

    package init(worker: Int, ready: Int64?, firstOutcome: Int64?, left: Int) {
        self.worker = worker
        self.ready = ready
        self.firstOutcome = firstOutcome
        self.left = left
    }
}

/// A worker's end that was not by SIGKILL of ours.
package struct WorkerEnd: Sendable {
    package var worker: Int
    package var at: Int64
    package var status: Int32
    /// SIGTERM had been sent.
    package var wasAsked: Bool
    /// … twice.
    package var wasHurried: Bool
    /// It was past waiting for the database, and had something to drain.
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
