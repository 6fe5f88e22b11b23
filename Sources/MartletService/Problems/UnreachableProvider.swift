package import Metering
import PushModel

/// A provider that no connection to comes about, or no access token is to be had for, however few pushes wait for one.
package struct UnreachableProvider: Sendable, Hashable {
    package let output: String
    package let environment: String
    /// The last attempt; nil: the log does not tell it.
    package let attempt: FailedAttempt?

    package init(output: String, environment: String, attempt: FailedAttempt?) {
        (self.output, self.environment, self.attempt) = (output, environment, attempt)
    }

    /// Where it is read.
    package static let families: [MetricFamily] = [.poolUnreachable, .poolConnections, .tokenEndpointUnreachable]

    /// Each once. Where several servers serve one credential, as those of browsers do, one that lets nobody in is no outage.
    package static func all(in page: MetricPage, _ warnings: [LoggedWarning]) -> [UnreachableProvider] {
        func missed(_ family: MetricFamily) -> [[String: String]] {
            page.values(of: family).filter { $0.value > 0 }.map(\.labels)
        }
        let open = page.values(of: .poolConnections).filter { $0.labels["state"] == "open" && $0.value > 0 }
        let shut = missed(.poolUnreachable).filter { pool in !open.contains { pool.isSubset(of: $0.labels) } }
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

    /// Output, environment, endpoint, error.
    package var text: String { "\(output) \(environment)\(attempt.map { ": \($0.text)" } ?? "")".printable }
}

/// An attempt to get through to somebody, as the log tells of it: of all events only such name endpoint and error.
package struct FailedAttempt: Sendable, Hashable {
    package let endpoint: String
    package let error: String

    package init(endpoint: String, error: String) {
        (self.endpoint, self.error) = (endpoint, error)
    }

    /// - Parameters:
    ///   - warnings: the newest first.
    ///   - oldest: seconds since 1970.
    package static func last(
        in warnings: [LoggedWarning], since oldest: Int64 = 0, where isMeant: ([String: String]) -> Bool = { _ in true }
    ) -> FailedAttempt? {
        for warning in warnings where isMeant(warning.details) {
            // A line for several has the one in place of the other.
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
    var problem: Problem {
        Problem(
            .providerUnreachable, "No connection for half a minute or longer: \(text).",
            subject: "\(output) \(environment)")
    }
}
