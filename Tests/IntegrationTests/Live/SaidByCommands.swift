import Foundations

/// The output and logs of a test's commands.
final class SaidByCommands: Sendable {
    private let all = Mutex("")

    var text: String { all.withLock { $0 } }
    func add(_ text: String) { all.withLock { $0 += text } }
}
