package import Addressing
import HTTP2Pool
package import PushModel
import Threading

/// A credential at work: its key, and the token that each origin is shown, one for all event loops.
package final class VAPIDIdentity: Sendable {
    private struct Shown {
        /// The token in use, or `nil` if the next message needs a new one.
        var token: VAPIDToken?
        let proof: KeyProof
        /// When it was asked for last.
        var used: Timestamp
    }

    /// Strangers may make up origins without end; beyond so many the one not asked for the longest is forgotten.
    package static let maximumTokens = 1_024

    package let credential: Credential
    package let key: VAPIDKey
    private let tokens: Mutex<[Endpoint: Shown]>

    /// - Parameter previous: the identity of the same credential before it changed. If the key is the same, its proof at
    ///   each origin stays valid. The tokens do not, because they name the previous subject.
    /// - Throws: when the credential is no key of this output.
    package init(_ credential: Credential, replacing previous: VAPIDIdentity? = nil) throws {
        guard case .secret(let secret) = credential.kind else { throw WebPushOutputError.notAKey }
        self.credential = credential
        let key = try VAPIDKey(sealed: secret)
        self.key = key
        let isSameKey = previous?.key.publicKeyText == key.publicKeyText
        let kept = isSameKey ? previous?.tokens.withLock { $0 } : nil
        tokens = Mutex((kept ?? [:]).mapValues { Shown(token: nil, proof: $0.proof, used: $0.used) })
    }

    /// Asked at most once a second for each job and origin.
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

    /// The origin does not take this one: the next is made anew.
    package func refused(_ token: VAPIDToken, by origin: Endpoint) {
        tokens.withLock { tokens in
            if tokens[origin]?.token === token { tokens[origin]?.token = nil }
        }
    }
}
