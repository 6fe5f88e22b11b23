import HTTP2Session
import PushModel

extension SharedTokenStore {
    /// Returns the `authorization` field of one request, or no field for a certificate. All users of the key share its
    /// token, so a request makes a new token only if one is due.
    func authorization(for credential: Credential) async throws -> [HTTP2Field] {
        guard case .token(let keyID, let privateKeyPEM) = credential.kind else { return [] }
        let signer = try ProviderTokenSigner(privateKeyPEM: privateKeyPEM, keyID: keyID, team: credential.account)
        let shared = try await token(of: credential.id, youngerThan: ProviderTokenSchedule.renewalAge) {
            try signer.sign(issuedAt: $0)
        }
        return [.authorization(shared.token)]
    }
}
