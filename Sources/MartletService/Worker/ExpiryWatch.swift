package import PushModel
package import Store

/// Says when credentials come near their end: each of them once at each threshold, and once when it has expired. A
/// value: no clock, no log.
package struct ExpiryWatch {
    /// Days before the end.
    package static let thresholds = [30, 14, 7, 3, 1]

    package struct Notice: Equatable {
        package let credential: CredentialSummary
        /// Whole days; negative when it has expired.
        package let daysLeft: Int
        package let hasExpired: Bool
    }

    /// The last threshold told of each; 0: that it has expired.
    private var told: [Credential.ID: Int] = [:]

    package init() {}

    /// To be called when credentials change, and now and then.
    package mutating func look(at credentials: [CredentialSummary], now: Timestamp) -> [Notice] {
        var notices: [Notice] = []
        var seen: [Credential.ID: Int] = [:]
        for credential in credentials where credential.state == .active {
            guard let notAfter = credential.notAfter, let days = credential.daysLeft(at: now) else { continue }
            let left = notAfter.milliseconds - now.milliseconds
            // of several that were passed unseen, only the last is news
            let passed = left <= 0 ? 0 : Self.thresholds.last { left <= Int64($0) * 86_400_000 }
            seen[credential.id] = told[credential.id]
            guard let passed, passed < told[credential.id] ?? .max else { continue }
            seen[credential.id] = passed
            notices.append(Notice(credential: credential, daysLeft: days, hasExpired: left <= 0))
        }
        told = seen
        return notices
    }
}
