import Crypto
package import Store

/// The share of accepted pushes that the ledger stores. All outcomes other than `sent` are always stored.
package enum LedgerSampling: Sendable, Hashable {
    case all
    case none
    /// A share of the recipients of each job, from 0 to 1. Repeated sampling selects the same recipients.
    case sample(Double)

    /// Parses `all`, `none` or a share such as `sample:0.01`. Returns `nil` for any other text.
    package init?(_ text: String) {
        switch text {
        case "all": self = .all
        case "none": self = .none
        default:
            guard text.hasPrefix("sample:"), let part = Double(text.dropFirst(7)), part > 0, part < 1 else {
                return nil
            }
            self = .sample(part)
        }
    }

    package func takes(_ row: LedgerRow) -> Bool {
        guard row.kind == "sent" else { return true }
        switch self {
        case .all: return true
        case .none: return false
        case .sample(let part):
            let hash = SHA256.hash(data: Array(row.job.utf8) + [0] + (row.recipient ?? []))
            return Double(hash.prefix(4).reduce(0) { $0 << 8 | Int($1) }) < part * 4_294_967_296
        }
    }
}
