import HTTP2Session
import PushModel

extension SharedTokenStore {
    /// The `authorization` field of one request; none for a certificate. The token is the one that all users of the
    /// key share, so asking for it makes no new one before its time.
    func authorization(for credential: Credential) async throws -> [HTTP2Field] {
        guard case .token(let keyID, let privateKeyPEM) = credential.kind else { return [] }
        let signer = try ProviderTokenSigner(privateKeyPEM: privateKeyPEM, keyID: keyID, team: credential.account)
        let shared = try await token(of: credential.id, youngerThan: ProviderTokenSchedule.renewalAge) {
            try signer.sign(issuedAt: $0)
        }
        return [.authorization(shared.token)]
    }
}
