import APNSOutput
import CredentialStore
import Synchronization

/// What APNs refuses just now, by this worker's pools. Told on their event loops, read by the metrics and by
/// whoever writes it into the database.
final class RefusalBoard: Sendable {
    private struct State {
        var open: [APNSRefusal.Subject: Refusal] = [:]
        var ended: [Refusal] = []
    }

    private let state = Mutex(State())
    /// One element per change, or fewer.
    let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    init() {
        (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    func tell(_ event: APNSRefusal.Event) {
        state.withLock { state in
            switch event {
            case .began(let refusal):
                let subject = refusal.subject
                state.open[subject] = Refusal(
                    credential: subject.credential, environment: subject.environment, topic: subject.topic,
                    reason: refusal.reason, since: refusal.since)
            case .ended(let subject):
                if let refusal = state.open.removeValue(forKey: subject) { state.ended.append(refusal) }
            }
        }
        change.yield()
    }

    var refusals: [Refusal] { state.withLock { Array($0.open.values) } }

    /// Takes out what has ended, to be given back if it could not be written.
    func takeEnded() -> [Refusal] {
        state.withLock { state in
            defer { state.ended = [] }
            return state.ended
        }
    }

    func giveBack(ended: [Refusal]) {
        state.withLock { $0.ended.append(contentsOf: ended) }
    }
}
