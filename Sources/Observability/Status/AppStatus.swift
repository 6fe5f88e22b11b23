import DeliveryPipeline
import PushModel
import Store
import Routing

/// The state of an app on the status page.
package struct AppStatus: Sendable, Hashable, Encodable {
    package static let most = 20

    package let app: String
    /// The conditions that delay or reject the app's pushes, or an empty list if there are none.
    package let trouble: [String]
    package let waiting: Int
    package let inFlight: Int
    package let rate: Int
    /// The rate limit of the app for all workers together, in pushes per second, or `nil` for no limit.
    package let limit: Int?
    private let weight: Int

    private enum CodingKeys: String, CodingKey {
        case app, trouble, waiting, inFlight, rate, limit
    }

    /// Returns at most ``most`` apps. Apps with refusals come first, then apps that are paused or have no
    /// usable credential, and then all other apps. In each of these groups, the apps with the most work come first.
    package static func top(of facts: StatusFacts) -> [AppStatus] {
        let work = Dictionary(facts.view.apps.map { ($0.app, $0) }) { first, _ in first }
        let refusals = facts.refusals.map { ($0, account(of: $0, facts.credentials)) }
        let bad = Dictionary(grouping: facts.badTokens, by: \.app)
        return facts.apps.map { AppStatus($0, work[$0.app], refusals, bad[$0.app] ?? []) }.sorted { left, right in
            if left.weight != right.weight { return left.weight > right.weight }
            if left.work != right.work { return left.work > right.work }
            return left.app < right.app
        }.prefix(most).map(\.self)
    }

    private static func account(
        of refusal: Refusal, _ credentials: [CredentialSummary]
    ) -> (output: String, account: String)? {
        credentials.first { $0.id == refusal.credential }.map { ($0.output, $0.account) }
    }

    private var work: Int { rate + inFlight + waiting }

    private init(
        _ facts: AppFacts, _ view: PipelineView.AppView?,
        _ refusals: [(refusal: Refusal, account: (output: String, account: String)?)], _ bad: [BadTokens]
    ) {
        (app, limit) = (facts.app, facts.rate)
        (waiting, inFlight, rate) = (view?.waiting ?? 0, view?.inFlight ?? 0, view?.rate ?? 0)
        let refused = refusals.filter { refusal, account in
            guard let topic = refusal.topic else {
                return account.map { facts.accounts[$0.output] == $0.account } ?? false
            }
            return topic == facts.app || topic.hasPrefix(facts.app + ".") || topic.hasPrefix(facts.app + " ")
        }.map(\.refusal)
        var trouble = refused.map { refusal in
            refusal.isOfTokens
                ? "most device tokens are bad (\(refusal.reason))"
                : "\(refusal.reason) in \(refusal.environment.rawValue)"
        }
        trouble += facts.unroutable
        if facts.isPaused { trouble.append("paused") }
        let count = bad.reduce(0) { $0 + $1.count }
        if count > 0 { trouble.append("\(Phrase.count(count, "bad device token")) since the start") }
        self.trouble = trouble
        // A paused app sends nothing, so its refusals do not raise its weight.
        weight = facts.isPaused ? 1 : refused.isEmpty ? facts.unroutable.isEmpty ? 0 : 1 : 2
    }
}
