import PushModel
import Foundations

/// A sink that counts outcomes and signals when all have arrived.
final class CountingSink: OutcomeSink {
    private struct Counts {
        var reported = 0
        var sent = 0
    }

    private let expected: Int
    private let counts = Mutex(Counts())
    private let done: AsyncStream<Void>
    private let finish: AsyncStream<Void>.Continuation

    init(count: Int) {
        expected = count
        (done, finish) = AsyncStream.makeStream(of: Void.self)
    }

    var sent: Int { counts.withLock { $0.sent } }

    func report(_ outcomes: [Outcome]) {
        let isDone = counts.withLock { counts in
            counts.reported += outcomes.count
            counts.sent += outcomes.count { $0.verdict == .sent }
            return counts.reported >= expected
        }
        if isDone { finish.finish() }
    }

    func wait() async {
        for await _ in done {}
    }
}
