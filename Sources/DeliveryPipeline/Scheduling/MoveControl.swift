import PushModel

/// The back-off for moving jobs to delay and waiting queues, based on the broker's answers to earlier moves. A value
/// type without clock or I/O.
///
/// | broker | action |
/// |---|---|
/// | refuses moves, for example because a queue is full | jobs wait in the worker for 1, 5, 30, then 120 seconds |
/// | accepts a move | jobs are moved without a wait |
struct MoveControl {
    private static let longestWait = 120

    private var refusals = 0
    private var since = Timestamp(milliseconds: 0)
    private var seconds = 0

    /// Returns whether jobs may be moved. A clock that was set far back does not prolong the wait.
    func mayMove(now: Timestamp) -> Bool { abs(now.milliseconds - since.milliseconds) >= Int64(seconds) * 1_000 }

    /// Records a refused move. Moves that are refused together count once.
    mutating func refused(now: Timestamp) {
        guard mayMove(now: now) else { return }
        refusals += 1
        (since, seconds) = (now, min(Self.longestWait, RefusalBackoff.seconds(afterFailures: refusals)))
    }
}
