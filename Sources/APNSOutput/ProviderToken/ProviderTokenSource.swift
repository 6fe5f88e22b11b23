import PushModel
import Synchronization

/// The one place where a key's provider tokens come from: one token per period, shared by every connection
/// of the process.
final class ProviderTokenSource: Sendable {
    private struct Issued {
        let period: Int64
        let token: Secret
    }

    private let signer: ProviderTokenSigner
    private let issued = Mutex<Issued?>(nil)

    init(signer: ProviderTokenSigner) {
        self.signer = signer
    }

    /// The token of the period that `now` is in. A clock that was set back does not bring a new token.
    func token(at now: Timestamp) throws -> Secret {
        let period = ProviderTokenSchedule.period(at: now)
        return try issued.withLock { issued in
            if let issued, issued.period >= period { return issued.token }
            let token = try signer.sign(issuedAt: now)
            issued = Issued(period: period, token: token)
            return token
        }
    }
}
