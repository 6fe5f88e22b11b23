import Threading

/// Output and logs of the commands of a test.
final class SaidByCommands: Sendable {
    private let all = Mutex("")

    var text: String { all.withLock { $0 } }
    func add(_ text: String) { all.withLock { $0 += text } }
}
