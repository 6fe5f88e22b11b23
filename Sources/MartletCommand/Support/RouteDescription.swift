import Observability
import PushModel
import Routing
import Store

/// The credential that an app uses for one push type in one environment, as `--json` shows it.
struct RouteDescription: Encodable, Sendable {
    struct Candidate: Encodable {
        let credential, label, kind: String
        /// The rank that routing gives the credential, or `nil` if the credential does not suit the topic.
        let rank: String?
        /// The reason why the credential can't be used, or `nil` if it can.
        let obstacle: String?
    }

    let output, environment, pushType, topic: String
    let credential: String?
    let problem: String?
    let refused: [String]
    let considered: [Candidate]

    init(_ route: AppRoute) {
        output = route.output.name
        environment = route.environment.rawValue
        pushType = route.pushType
        topic = route.topic
        credential = route.chosen?.credential.id
        problem = route.problem
        refused = route.refusals.map(\.reason)
        considered = route.candidates.map {
            Candidate(
                credential: $0.credential.id, label: $0.credential.label, kind: $0.credential.kind.rawValue,
                rank: $0.rank.map { $0.name(route.accountName) },
                obstacle: $0.obstacle?.text(accountName: route.accountName))
        }
    }
}
