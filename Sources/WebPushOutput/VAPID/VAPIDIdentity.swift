package import Foundations
import HTTP2Pool
package import PushModel

/// A credential in use: its key, and its token for each origin. All event loops share it.
package final class VAPIDIdentity: Sendable {
    private struct Shown {
        /// The token in use, or `nil` if the next message needs a new one.
        var token: VAPIDToken?
        let proof: KeyProof
        /// The time at which the token was last requested by a job.
        var used: Timestamp
    }

    /// The maximum number of tokens. Subscriptions may name any number of origins, so beyond this limit the least
    /// recently used token is removed.
    package static let maximumTokens = 1_024

    package let credential: Credential
    package let key: VAPIDKey
    private let tokens: Mutex<[Endpoint: Shown]>

    /// Creates an identity without tokens.
    ///
    /// - Parameter previous: the identity of the same credential before it changed, or `nil`. If the key is the same,
    ///   its proof at each origin stays valid. The tokens do not, because they name the previous subject.
    /// - Throws: an error if the credential is not a VAPID key.
    package init(_ credential: Credential, replacing previous: VAPIDIdentity? = nil) throws {
        guard case .secret(let secret) = credential.kind else { throw WebPushOutputError.notAKey }
        self.credential = credential
        let key = try VAPIDKey(sealed: secret)
        self.key = key
        let isSameKey = previous?.key.publicKeyText == key.publicKeyText
        let kept = isSameKey ? previous?.tokens.withLock { $0 } : nil
        tokens = Mutex((kept ?? [:]).mapValues { Shown(token: nil, proof: $0.proof, used: $0.used) })
    }

    /// Returns the token for an origin, and creates one if necessary. Each event loop calls this about once a second
    /// for each job and origin.
    package func token(for origin: Endpoint, now: Timestamp) throws -> VAPIDToken {
        try tokens.withLock { tokens in
            let last = tokens[origin]
            if let token = last?.token, !token.schedule.isDue(now: now) {
                tokens[origin]?.used = now
                return token
            }
            let schedule = VAPIDTokenSchedule(now: now, random: .random(in: 0..<1))
            let token = VAPIDToken(
                authorization: try key.authorization(
                    for: "https://\(origin.authority)", expiring: schedule.expires),
                schedule: schedule, proof: last?.proof ?? KeyProof())
            if last == nil, tokens.count >= Self.maximumTokens,
                let oldest = tokens.min(by: { $0.value.used < $1.value.used })
            {
                tokens[oldest.key] = nil
            }
            tokens[origin] = Shown(token: token, proof: token.proof, used: now)
            return token
        }
    }

    /// Records that the origin refused this token. The next message gets a new token.
    package func refused(_ token: VAPIDToken, by origin: Endpoint) {
        tokens.withLock { tokens in
            if tokens[origin]?.token === token { tokens[origin]?.token = nil }
        }
    }
}
