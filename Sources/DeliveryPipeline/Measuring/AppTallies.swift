import Metering
import PushModel
import Threading

/// The cells of each app: those in the table `apps`, as many as may be, have their own; the others share one set, and
/// whoever is not in the table another. So no message makes a series.
package final class AppTallies: Sendable {
    private struct State {
        var own: [String: OutcomeTally] = [:]
        /// Beyond those that have their own.
        var others: Set<String> = []
    }

    private let registry: MetricRegistry
    private let most: Int
    private let other, unknown: OutcomeTally
    private let state = Mutex(State())

    init(_ registry: MetricRegistry, most: Int) {
        self.registry = registry
        self.most = most
        other = Self.tally("other", registry)
        unknown = Self.tally("unknown", registry)
    }

    /// These are in the table: series of theirs begin at 0.
    package func know(_ apps: some Sequence<String>) {
        for app in apps.sorted() {
            state.withLock { state in
                guard state.own[app] == nil, !state.others.contains(app) else { return }
                if state.own.count < most {
                    state.own[app] = Self.tally(app, registry)
                } else {
                    state.others.insert(app)
                }
            }
        }
    }

    /// To be asked once for an app, and again as long as it is not known.
    func tally(of app: String) -> (tally: OutcomeTally, isKnown: Bool) {
        state.withLock { state in
            if let own = state.own[app] { return (own, true) }
            return state.others.contains(app) ? (other, true) : (unknown, false)
        }
    }

    private static func tally(_ app: String, _ registry: MetricRegistry) -> OutcomeTally {
        OutcomeTally(OutcomeKind.allCases.map { registry.cell(.pushesByApp, [app, $0.rawValue]) })
    }
}
