import AMQPClient
import Contract
import PushModel

/// The load of one queue in this worker. A value type without clock or I/O.
struct QueueLoad {
    /// The number of jobs that were started and not yet settled.
    var open = 0
    /// The number of unsettled deliveries. Deliveries of a lost connection are excluded, because they do not count
    /// towards the prefetch.
    private(set) var held = 0
    /// The rate of settled deliveries, with any result.
    private var settlements = Throughput()
    private var connection: UInt32?
    /// The app whose job was last received from this waiting queue or moved there, and the time.
    private var occupant: (app: ObjectIdentifier, at: Timestamp)?
    /// The time at which a job of this waiting queue last started, or at which the held jobs were last exchanged.
    private var lastChange: Timestamp?
    /// The time without a change after which the held jobs are exchanged, in seconds.
    private var patience = shortestPatience
    private static let (shortestPatience, longestPatience) = (30, 900)
    /// Whether ``isKnown(now:)`` depends on ``openedAt``. It is `false` until the first connection opens or is lost.
    private var isUnknown = false
    /// The time at which the connection that consumes this waiting queue was opened, or `nil` while it is not open.
    private var openedAt: Timestamp?
    /// The time from the opening of the connection until the first jobs have had time to arrive, in milliseconds.
    private static let learningMilliseconds: Int64 = 1_000
    /// The time for which a waiting queue counts as occupied after its last known job, in milliseconds.
    private static let occupiedMilliseconds: Int64 = 30_000
    private static let pauseMilliseconds: Int64 = 5_000
    /// The throughput of the jobs that were sent.
    var throughput = Throughput()
    /// The prefetch control, or `nil` if the prefetch of the queue does not change.
    var prefetch: PrefetchControl?

    init(prefetch: PrefetchControl?) {
        self.prefetch = prefetch
    }

    mutating func arrived(_ tag: AMQPDeliveryTag) {
        if connection != tag.epoch { (connection, held) = (tag.epoch, 0) }
        held += 1
    }

    mutating func settled(_ tag: AMQPDeliveryTag, at now: Timestamp) {
        guard connection == tag.epoch else { return }
        held -= 1
        settlements.settled(0, at: now)
    }

    mutating func started(at now: Timestamp) { (lastChange, patience) = (now, Self.shortestPatience) }

    /// Returns whether the held jobs must be exchanged for other jobs of this waiting queue. This is the case if none
    /// has started for a time, which grows with each exchange. Otherwise the jobs of another app, which another worker
    /// may have moved to the same queue, would wait until the app of the held jobs may send.
    mutating func exchanges(at now: Timestamp) -> Bool {
        guard let last = lastChange else {
            lastChange = now
            return false
        }
        guard abs(now.milliseconds - last.milliseconds) >= Int64(patience) * 1_000 else { return false }
        (lastChange, patience) = (now, min(patience * 2, Self.longestPatience))
        return true
    }

    /// Returns whether, in the last five seconds, no job of this waiting queue has started and the held jobs were not
    /// exchanged.
    fileprivate func hasPaused(now: Timestamp) -> Bool {
        lastChange.map { abs(now.milliseconds - $0.milliseconds) >= Self.pauseMilliseconds } ?? true
    }

    mutating func occupy(_ app: AppLoad, at now: Timestamp) { occupant = (ObjectIdentifier(app), now) }

    /// Records whether the connection that consumes this waiting queue is open.
    mutating func connects(_ isOpen: Bool, now: Timestamp) {
        (openedAt, isUnknown) = (isOpen ? now : nil, true)
    }

    /// Whether the connection that consumes this waiting queue is open.
    var isConsumed: Bool { openedAt != nil }

    /// Returns whether the first jobs of this waiting queue have had time to arrive.
    func isKnown(now: Timestamp) -> Bool {
        guard isUnknown else { return true }
        // The clock may be set back meanwhile.
        return openedAt.map { abs(now.milliseconds - $0.milliseconds) >= Self.learningMilliseconds } ?? false
    }

    /// Returns whether this worker knows no other app with jobs in this waiting queue.
    func isFree(for app: AppLoad, now: Timestamp) -> Bool {
        guard let occupant, occupant.app != ObjectIdentifier(app) else { return true }
        return held == 0 && abs(now.milliseconds - occupant.at.milliseconds) > Self.occupiedMilliseconds
    }

    /// Whether no deliveries are held and the prefetch is the initial one.
    var isAtRest: Bool { held == 0 && prefetch?.isAtFirst != false }

    mutating func disconnected() { (connection, held, isUnknown, openedAt) = (nil, 0, true, nil) }

    func isSettling(now: Timestamp) -> Bool { settlements.inASecond(now: now).jobs > 0 }
}

extension [QueueLoad] {
    /// Handles the opening of the connection that consumes these queues. Excess jobs move to a waiting queue only when
    /// its connection has been open long enough for its first jobs to arrive.
    mutating func connected(_ opened: [JobQueue], now: Timestamp) {
        for queue in JobQueue.allWaiting {
            let isOpened = opened.contains(queue)
            if isOpened || !self[queue.index].isConsumed { self[queue.index].connects(isOpened, now: now) }
        }
    }

    /// Returns whether the next job of a queue may start. In a slowed queue, it starts at least five seconds after the
    /// previous one.
    func mayStart(_ queue: JobQueue, _ slowed: QueueSet, now: Timestamp) -> Bool {
        !slowed.contains(queue) || self[queue.index].hasPaused(now: now)
    }

    /// Occupies one of the waiting queues of a job's app: the first in which this worker knows no jobs of other apps.
    ///
    /// - Returns: the number of the queue, or `nil` if none is free.
    mutating func occupyWaitingQueue(of lane: Lane, for job: WaitingJob, now: Timestamp) -> Int? {
        let app = job.appLoad
        let number = app.waitingQueues(for: job).first {
            self[JobQueue.waiting(lane, $0).index].isFree(for: app, now: now)
        }
        if let number { self[JobQueue.waiting(lane, number).index].occupy(app, at: now) }
        return number
    }
}
