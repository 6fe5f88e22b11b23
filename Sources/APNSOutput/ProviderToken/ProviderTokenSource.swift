package import PushModel
import Synchronization

/// The one place where a pool's provider tokens come from, shared by its connections.
package final class ProviderTokenSource: Sendable {
    private struct Issued {
        let at: Timestamp
        let token: Secret
    }

    private let signer: ProviderTokenSigner
    private let issued = Mutex<Issued?>(nil)

    package init(signer: ProviderTokenSigner) {
        self.signer = signer
    }

    /// The token to use from now on, made when the last one is due for renewal.
    package func token(at now: Timestamp) throws -> Secret {
        try issued.withLock { issued in
            if let issued, ProviderTokenSchedule.isCurrent(issuedAt: issued.at, now: now) { return issued.token }
            let token = try signer.sign(issuedAt: now)
            issued = Issued(at: now, token: token)
            return token
        }
    }
}
