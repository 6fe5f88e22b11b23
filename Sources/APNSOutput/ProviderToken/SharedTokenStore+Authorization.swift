import HTTP2Session
import PushModel

extension SharedTokenStore {
    /// Returns the `authorization` field of a request, or an empty array for a certificate. All users of a key share
    /// its token, so the call makes a new token only if one is due.
    func authorization(for credential: Credential) async throws -> [HTTP2Field] {
        guard case .token(let keyID, let privateKeyPEM) = credential.kind else { return [] }
        let signer = try ProviderTokenSigner(privateKeyPEM: privateKeyPEM, keyID: keyID, team: credential.account)
        let shared = try await token(of: credential.id, youngerThan: ProviderTokenSchedule.renewalAge) {
            try signer.sign(issuedAt: $0)
        }
        return [.authorization(shared.token)]
    }
}
