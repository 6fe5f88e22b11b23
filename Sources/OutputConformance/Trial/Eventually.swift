/// Waits for something that others will bring about, looking for it now and then.
///
/// - Returns: whether it came about in time.
func eventually(within limit: Duration, _ condition: () async -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + limit
    var pause = Duration.milliseconds(1)
    while await !condition() {
        guard ContinuousClock.now < deadline, (try? await Task.sleep(for: pause)) != nil else { return false }
        pause = min(pause * 2, .milliseconds(50))
    }
    return true
}

/// Does something that may never end.
///
/// - Returns: whether it ended in time.
func ends(within limit: Duration, _ work: @escaping @Sendable () async -> Void) async -> Bool {
    let end = Flag()
    Task {
        await work()
        end.set()
    }
    return await eventually(within: limit) { end.isSet }
}
