package import Metering
import PushModel

/// A provider that the worker can't reach. For at least 30 seconds, the worker has failed to connect to the provider or
/// to get an access token for it.
package struct UnreachableProvider: Sendable, Hashable {
    package let output: String
    package let environment: String
    /// The last failed attempt to connect, or `nil` if the log contains none.
    package let attempt: FailedAttempt?

    package init(output: String, environment: String, attempt: FailedAttempt?) {
        (self.output, self.environment, self.attempt) = (output, environment, attempt)
    }

    /// The metric families from which unreachable providers are read.
    package static let families: [MetricFamily] = [.poolUnreachable, .poolConnections, .tokenEndpointUnreachable]

    /// Returns the unreachable providers. One credential may be used with several servers, such as the push services of
    /// browsers. The provider is then unreachable only if no connection to any of these servers is open.
    package static func all(in page: MetricPage, _ warnings: [LoggedWarning]) -> [UnreachableProvider] {
        func missed(_ family: MetricFamily) -> [[String: String]] {
            page.values(of: family).filter { $0.value > 0 }.map(\.labels)
        }
        let open = page.values(of: .poolConnections).filter { $0.labels["state"] == "open" && $0.value > 0 }
        let shut = missed(.poolUnreachable).map { $0.filter { $0.key != "host" } }
            .filter { pool in !open.contains { pool.isSubset(of: $0.labels) } }
        var found: [UnreachableProvider] = []
        for pool in shut + missed(.tokenEndpointUnreachable) {
            let attempt = FailedAttempt.last(in: warnings) { details in
                (details["credential"] ?? "") == pool["credential"]
                    && (details["environment"] ?? pool["environment"]) == pool["environment"]
            }
            let new = UnreachableProvider(
                output: pool["output"] ?? "", environment: pool["environment"] ?? "", attempt: attempt)
            if !found.contains(new) { found.append(new) }
        }
        return found
    }

    /// The output, environment, endpoint and error, as one line.
    package var text: String { "\(output) \(environment)\(attempt.map { ": \($0.text)" } ?? "")".printable }
}

/// A failed attempt to connect, read from the log. Only log lines of failed attempts have both an endpoint and an
/// error.
package struct FailedAttempt: Sendable, Hashable {
    package let endpoint: String
    package let error: String

    package init(endpoint: String, error: String) {
        (self.endpoint, self.error) = (endpoint, error)
    }

    /// Returns the most recent failed attempt, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - warnings: the warnings to search, newest first.
    ///   - oldest: the earliest time of the attempt, in seconds since 1970.
    package static func last(
        in warnings: [LoggedWarning], since oldest: Int64 = 0, where isMeant: ([String: String]) -> Bool = { _ in true }
    ) -> FailedAttempt? {
        for warning in warnings where isMeant(warning.details) {
            // A log line that summarises several attempts has `reason` instead of `error`.
            guard let at = Timestamp(rfc3339: warning.at), at.seconds >= oldest,
                let endpoint = warning.details["endpoint"],
                let error = warning.details["error"] ?? warning.details["reason"]
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

extension UnreachableProvider {
    /// Returns this provider's problem, which has the kind ``ProblemKind/providerUnreachable``.
    ///
    /// - Parameter party: the party that can end the problem, or `nil` for the default party of the kind.
    package func problem(of party: Problem.Party?) -> Problem {
        Problem(
            .providerUnreachable, "No connection for half a minute or longer: \(text).",
            subject: "\(output) \(environment)", party: party)
    }
}
