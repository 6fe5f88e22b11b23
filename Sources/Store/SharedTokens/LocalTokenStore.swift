public import PushModel
import Threading

/// Tokens for a process that has no fleet: made and kept in memory.
public final class LocalTokenStore: SharedTokenStore {
    private struct Issued {
        let token: Secret
        let at: Timestamp
    }

    private let clock: @Sendable () -> Timestamp
    private let issued = Mutex<[Credential.ID: Issued]>([:])

    /// - Parameter clock: wall-clock time, for the tokens' time of issue.
    public init(clock: @escaping @Sendable () -> Timestamp) {
        self.clock = clock
    }

    public func token(
        of credential: Credential.ID, youngerThan age: Int64, sign: @Sendable (Timestamp) throws -> Secret
    ) throws -> SharedToken {
        let now = clock()
        return try issued.withLock { issued in
            // Set back a little: no new one. Set back far: its time was wrong, and the provider refuses it.
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
