import PushModel

/// Whether jobs may be moved out of the way, by what the broker said to the last ones. A value; time goes in.
///
/// | the broker | then |
/// |---|---|
/// | has refused some, as a full queue does | what would move waits here, for 1, 5, 30, then 120 seconds |
/// | takes one | as before |
struct MoveControl {
    private static let longestWait = 120

    private var refusals = 0
    private var since = Timestamp(milliseconds: 0)
    private var seconds = 0

    /// A clock that was set back does not make it longer.
    func mayMove(now: Timestamp) -> Bool { abs(now.milliseconds - since.milliseconds) >= Int64(seconds) * 1_000 }

    /// Those that were refused together count once.
    mutating func refused(now: Timestamp) {
        guard mayMove(now: now) else { return }
        refusals += 1
        (since, seconds) = (now, min(Self.longestWait, RefusalLadder.seconds(afterFailures: refusals)))
    }
}
