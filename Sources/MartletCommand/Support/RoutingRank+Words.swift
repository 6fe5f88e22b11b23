import Store
import Routing

extension RoutingRank {
    /// Returns the name of the rank, for example `teamKey` if the output's term for an account is `team`.
    func name(_ accountName: String) -> String { self == .accountKey ? accountName + "Key" : "\(self)" }

    func text(_ accountName: String) -> String {
        switch self {
        case .namedByJob: "named by the job"
        case .namedByApp: "named by the app"
        case .certificate: "certificate for the topic"
        case .topicKey: "key for the topic"
        case .appKey: "key for the app"
        case .accountKey: "key of the \(accountName)"
        }
    }
}
