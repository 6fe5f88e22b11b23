/// What this worker has of one queue in the broker. A value.
struct QueueUse {
    /// Jobs started and not settled.
    var open = 0
    var pace = Pace()
    /// nil where the prefetch does not change.
    var prefetch: PrefetchControl?
}
