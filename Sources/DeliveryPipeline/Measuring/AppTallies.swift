import Contract
import Metering
import PushModel
import Foundations

/// The counters of pushes by app. Registered apps have counters of their own, up to a maximum number of apps. Further
/// registered apps share one set of counters, and unregistered apps share another. Therefore no message can create a
/// new time series.
package final class AppTallies: Sendable {
    private struct State {
        var own: [String: OutcomeTally] = [:]
        /// The registered apps without counters of their own.
        var others: Set<String> = []
    }

    private let registry: MetricRegistry
    /// The maximum number of apps with counters of their own.
    private let most: Int
    private let other, unknown: OutcomeTally
    private let state = Mutex(State())

    init(_ registry: MetricRegistry, most: Int) {
        self.registry = registry
        self.most = most
        other = Self.tally("other", registry)
        unknown = Self.tally("unknown", registry)
    }

    /// Creates counters for registered apps, so that their time series begin at 0.
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

    /// Returns the counters of an app, and whether the app is registered. Only the counters of a registered app may be
    /// cached.
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
