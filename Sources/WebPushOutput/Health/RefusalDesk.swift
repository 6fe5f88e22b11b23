package import PushModel
import Threading

/// Passes on when a key begins and ceases to be refused. Each event loop finds that out by itself, and the world is told
/// once: when the first begins, and when the last has ended.
package final class RefusalDesk: Sendable {
    private let refusals: @Sendable (Refusal.Event) -> Void
    private let counts = Mutex<[Refusal.Subject: Int]>([:])

    package init(_ refusals: @escaping @Sendable (Refusal.Event) -> Void) {
        self.refusals = refusals
    }

    package func take(_ event: Refusal.Event) {
        let isNews = counts.withLock { counts in
            switch event {
            case .began(let refusal):
                counts[refusal.subject, default: 0] += 1
                return counts[refusal.subject] == 1
            case .ended(let subject):
                let left = (counts[subject] ?? 1) - 1
                counts[subject] = left > 0 ? left : nil
                return left == 0
            case .badTokens: return true
            }
        }
        if isNews { refusals(event) }
    }
}
