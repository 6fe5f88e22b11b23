public import PushModel
import Threading

/// A token store for a process that has no fleet. It makes tokens itself and keeps them in memory.
public final class LocalTokenStore: SharedTokenStore {
    private struct Issued {
        let token: Secret
        let at: Timestamp
    }

    private let clock: @Sendable () -> Timestamp
    private let issued = Mutex<[Credential.ID: Issued]>([:])

    /// Creates an empty store.
    /// - Parameter clock: returns the wall-clock time, which becomes the tokens' time of issue.
    public init(clock: @escaping @Sendable () -> Timestamp) {
        self.clock = clock
    }

    public func token(
        of credential: Credential.ID, youngerThan age: Int64, sign: @Sendable (Timestamp) throws -> Secret
    ) throws -> SharedToken {
        let now = clock()
        return try issued.withLock { issued in
            // A clock that was set back a little does not require a new token. If it was set back far, the token's time
            // was wrong, and the provider rejects the token.
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
