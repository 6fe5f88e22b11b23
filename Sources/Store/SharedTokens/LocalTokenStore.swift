package import PushModel
import Foundations

/// A store of provider tokens for a process without a fleet. It signs tokens itself and keeps them in memory.
package final class LocalTokenStore: SharedTokenStore {
    private struct Issued {
        let token: Secret
        let at: Timestamp
    }

    private let clock: @Sendable () -> Timestamp
    private let issued = Mutex<[Credential.ID: Issued]>([:])

    /// Creates an empty store.
    ///
    /// - Parameter clock: returns the current wall-clock time, which becomes the time of issue of a new token.
    package init(clock: @escaping @Sendable () -> Timestamp) {
        self.clock = clock
    }

    package func token(
        of credential: Credential.ID, youngerThan age: Int64, sign: @Sendable (Timestamp) throws -> Secret
    ) throws -> SharedToken {
        let now = clock()
        return try issued.withLock { issued in
            // If the clock was set back, the token's time may be in the future. If it is less than `age` ahead, the
            // token stays in use. If it is further ahead, the provider rejects the token, so a new one is signed.
            if let known = issued[credential], abs(now.milliseconds - known.at.milliseconds) < age {
                return SharedToken(
                    token: known.token, issuedAt: known.at, age: max(0, now.milliseconds - known.at.milliseconds))
            }
            let token = try sign(now)
            issued[credential] = Issued(token: token, at: now)
            return SharedToken(token: token, issuedAt: now, age: 0)
        }
    }
}
