package import PushModel
import Store
package import Routing

/// A detector of credentials that expire soon. It reports each credential once at each threshold, and once when the
/// credential has expired. A value type without clock or I/O.
package struct ExpiryDetector {
    /// The numbers of days before expiry at which a credential is reported.
    package static let thresholds = [30, 14, 7, 3, 1]

    package struct Notice: Equatable {
        package let credential: CredentialSummary
        /// The number of whole days until the credential expires. It is negative after expiry.
        package let daysLeft: Int
        package let hasExpired: Bool
    }

    /// The last threshold that was reported for each credential, in days. The value is 0 after the expiry was reported.
    private var reported: [Credential.ID: Int] = [:]

    package init() {}

    /// Returns notices for the credentials that have passed a new threshold. Must be called when credentials change,
    /// and also regularly.
    package mutating func look(at credentials: [CredentialSummary], now: Timestamp) -> [Notice] {
        var notices: [Notice] = []
        var seen: [Credential.ID: Int] = [:]
        for credential in credentials where credential.state == .active {
            guard let notAfter = credential.notAfter, let days = credential.daysLeft(at: now) else { continue }
            let left = notAfter.milliseconds - now.milliseconds
            // If several thresholds have been passed since the last call, only the last threshold is reported.
            let passed = left <= 0 ? 0 : Self.thresholds.last { left <= Int64($0) * 86_400_000 }
            seen[credential.id] = reported[credential.id]
            guard let passed, passed < reported[credential.id] ?? .max else { continue }
            seen[credential.id] = passed
            notices.append(Notice(credential: credential, daysLeft: days, hasExpired: left <= 0))
        }
        reported = seen
        return notices
    }
}
