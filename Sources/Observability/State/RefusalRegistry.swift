package import PushModel
import Store
import Foundations

/// The current refusals by providers and the numbers of bad tokens that this worker's outputs have reported. Outputs
/// report on their event loops. The metrics and `RefusalService` read the data.
package final class RefusalRegistry: Sendable {
    private struct State {
        var open: [Refusal.Subject: Refusal] = [:]
        var ended: [Refusal] = []
        var hasReported = false
        var badTokens: [TokenKey: Int] = [:]
    }

    private struct TokenKey: Hashable {
        let app: String
        let environment: PushEnvironment
        let reason: String
    }

    private let state = Mutex(State())
    /// A stream with one element for each change or renewal. Changes that the reader has not seen yet are merged into
    /// one element.
    package let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    package init() {
        (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    package func report(_ event: Refusal.Event) {
        state.withLock { state in
            switch event {
            case .began(let refusal):
                state.open[refusal.subject] = refusal
                state.hasReported = true
            case .ended(let subject):
                if let refusal = state.open.removeValue(forKey: subject) { state.ended.append(refusal) }
            case .badTokens(let bad):
                let key = TokenKey(app: bad.app, environment: bad.environment, reason: bad.reason)
                state.badTokens[key, default: 0] += bad.count
            }
        }
        if case .badTokens = event { return }
        change.yield()
    }

    /// Asks the reader of ``changes`` to write all open refusals to the database again.
    package func renew() { change.yield() }

    /// The numbers of bad tokens since the start, by app, environment and reason.
    var badTokens: [BadTokens] {
        state.withLock { state in
            state.badTokens.map {
                BadTokens(app: $0.key.app, environment: $0.key.environment, reason: $0.key.reason, count: $0.value)
            }
        }
    }

    package var refusals: [Refusal] { state.withLock { Array($0.open.values) } }

    /// Whether any refusal has been reported since the start.
    package var hasReported: Bool { state.withLock(\.hasReported) }

    /// Removes and returns the refusals that have ended. If the caller can't write them, it must restore them.
    package func takeEnded() -> [Refusal] {
        state.withLock { state in
            defer { state.ended = [] }
            return state.ended
        }
    }

    package func restore(ended: [Refusal]) {
        state.withLock { $0.ended.append(contentsOf: ended) }
    }
}
