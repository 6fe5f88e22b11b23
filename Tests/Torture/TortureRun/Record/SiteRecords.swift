/// The record of a fault that was carried out. Times are in milliseconds since 1970.
package struct FaultRecord: Sendable {
    package var fault: Fault
    package var start: Int64
    /// The time at which the fault struck its workers. It is later than ``start`` if the fault had to wait, for example
    /// for a worker that another fault had reserved.
    package var struck: Int64
    package var end: Int64
    /// The error with which the fault failed, or `nil` if it was carried out.
    package var note: String?

    package init(fault: Fault, start: Int64, struck: Int64? = nil, end: Int64, note: String? = nil) {
        self.fault = fault
        self.start = start
        self.struck = struck ?? start
        self.end = end
        self.note = note
    }
}

/// A measurement of the memory of a worker.
package struct MemorySample: Sendable {
    package var worker: Int
    /// The number of the worker's starts up to the measurement.
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

/// A job that a worker moved to the suspects queue.
package struct SuspectRecord: Sendable {
    package var job: Int?
    package var received: Int64

    package init(job: Int?, received: Int64) {
        self.job = job
        self.received = received
    }
}

/// A worker that joined late, while the other workers were overloaded. Times are in milliseconds since 1970.
package struct JoinRecord: Sendable {
    package var worker: Int
    /// The time at which the worker logged its start, or `nil` if it did not start in time.
    package var ready: Int64?
    /// The time of the worker's first outcome for the flood, or `nil` if there was none in time.
    package var firstOutcome: Int64?
    /// The number of recipients in the flood that had no outcome when this first outcome arrived, or at the time limit.
    package var left: Int

    package init(worker: Int, ready: Int64?, firstOutcome: Int64?, left: Int) {
        self.worker = worker
        self.ready = ready
        self.firstOutcome = firstOutcome
        self.left = left
    }
}

/// The end of a worker process that the run did not kill with SIGKILL.
package struct WorkerEnd: Sendable {
    package var worker: Int
    package var at: Int64
    package var status: Int32
    /// Whether the run had sent SIGTERM.
    package var wasAsked: Bool
    /// Whether the run had sent SIGTERM twice.
    package var wasHurried: Bool
    /// Whether the worker had logged its start. Before that, it waits for the database and has nothing to drain.
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
