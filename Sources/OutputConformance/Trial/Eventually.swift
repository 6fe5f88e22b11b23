/// Checks a condition repeatedly until it holds or the limit is reached.
///
/// - Returns: whether the condition held within the limit.
func eventually(within limit: Duration, _ condition: () async -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + limit
    var pause = Duration.milliseconds(1)
    while await !condition() {
        guard ContinuousClock.now < deadline, (try? await Task.sleep(for: pause)) != nil else { return false }
        pause = min(pause * 2, .milliseconds(50))
    }
    return true
}

/// Runs work that may never end.
///
/// - Returns: whether the work ended within the limit.
func ends(within limit: Duration, _ work: @escaping @Sendable () async -> Void) async -> Bool {
    let end = Flag()
    Task {
        await work()
        end.set()
    }
    return await eventually(within: limit) { end.isSet }
}
