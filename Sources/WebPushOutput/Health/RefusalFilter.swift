package import PushModel
import Foundations

/// A filter for reports that the refusal of a key begins or ends. Each event loop reports separately for each app that
/// uses the key. For each key and origin, the filter forwards only the first beginning and the last end. It forwards
/// all reports of bad tokens.
package final class RefusalFilter: Sendable {
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
