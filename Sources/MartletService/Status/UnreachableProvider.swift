package import Metering
import PushModel

/// A provider that no connection to comes about, however few pushes wait for one.
package struct UnreachableProvider: Sendable, Hashable {
    package let output: String
    package let environment: String
    /// The last attempt; nil: the log does not tell it.
    package let attempt: FailedAttempt?

    package init(output: String, environment: String, attempt: FailedAttempt?) {
        (self.output, self.environment, self.attempt) = (output, environment, attempt)
    }

    /// Where it is read.
    package static let families: [MetricFamily] = [.poolUnreachable, .poolConnections]

    /// Each once. Where several servers serve one credential, as those of browsers do, one that lets nobody in is no outage.
    package static func all(in page: MetricPage, _ problems: [Problem]) -> [UnreachableProvider] {
        let pools = page.values(of: .poolUnreachable).filter { $0.value > 0 }.map(\.labels)
        guard !pools.isEmpty else { return [] }
        let open = page.values(of: .poolConnections).filter { $0.labels["state"] == "open" && $0.value > 0 }
        var found: [UnreachableProvider] = []
        for pool in pools where !open.contains(where: { pool.isSubset(of: $0.labels) }) {
            let attempt = FailedAttempt.last(in: problems) { details in
                (details["credential"] ?? "") == pool["credential"]
                    && (details["environment"] ?? pool["environment"]) == pool["environment"]
            }
            let new = UnreachableProvider(
                output: pool["output"] ?? "", environment: pool["environment"] ?? "", attempt: attempt)
            if !found.contains(new) { found.append(new) }
        }
        return found
    }

    /// Output, environment, endpoint, error.
    package var text: String { "\(output) \(environment)\(attempt.map { ": \($0.text)" } ?? "")".printable }
}

/// An attempt to connect, as the log tells of it.
package struct FailedAttempt: Sendable, Hashable {
    package let endpoint: String
    package let error: String

    package init(endpoint: String, error: String) {
        (self.endpoint, self.error) = (endpoint, error)
    }

    /// - Parameters:
    ///   - problems: the newest first.
    ///   - oldest: seconds since 1970.
    package static func last(
        in problems: [Problem], since oldest: Int64 = 0, where isMeant: ([String: String]) -> Bool = { _ in true }
    ) -> FailedAttempt? {
        for problem in problems where problem.event == "connection.failed" && isMeant(problem.details) {
            // A line for several has the one in place of the other.
            guard let at = Timestamp(rfc3339: problem.at), at.seconds >= oldest,
                let endpoint = problem.details["endpoint"],
                let error = problem.details["error"] ?? problem.details["reason"]
            else { continue }
            return FailedAttempt(endpoint: endpoint, error: error)
        }
        return nil
    }

    package var text: String { "\(endpoint): \(error)" }
}

extension [String: String] {
    fileprivate func isSubset(of other: [String: String]) -> Bool { allSatisfy { other[$0.key] == $0.value } }
}

extension [UnreachableProvider] {
    /// nil: every provider that pushes wait for lets us in.
    var finding: Finding? {
        guard !isEmpty else { return nil }
        return Finding(
            .network,
            "No connection has come about for half a minute or longer: \(Phrase.list(map(\.text))).",
            todo: "Look at the address and the authority file in the configuration, at proxy, firewall and DNS; "
                + "`martlet credential check --all` tries each credential. Pushes wait until then.")
    }
}
