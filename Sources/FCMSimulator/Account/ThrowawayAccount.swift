internal import CryptoExtras
internal import PushSimulator

/// A service account for who has none from Google: its key is made once for a directory, and good for nothing but
/// simulators.
public struct ThrowawayAccount: Sendable {
    public static let project = "simulated-project"
    public static let keyID = "51a1eda51a1eda51a1eda51a1eda51a1eda51a1e"
    static var email: String { "simulator@\(project).iam.gserviceaccount.com" }

    /// Where its key file is.
    public let path: String
    let privateKey: _RSA.Signing.PrivateKey

    /// What the simulator needs of it.
    public var account: SimulatedAccount {
        get throws {
            try SimulatedAccount(
                project: Self.project, email: Self.email, keyID: Self.keyID, pem: privateKey.publicKey.pemRepresentation
            )
        }
    }

    /// Writes the file that a sender takes: of Google's form, with the simulator's own token endpoint.
    ///
    /// - Parameter tokenURI: where access tokens are to be had.
    /// - Throws: `SimulatorError` naming the file.
    public func save(tokenURI: String) throws {
        let members = [
            ("type", "service_account"), ("project_id", Self.project), ("private_key_id", Self.keyID),
            ("private_key", privateKey.pkcs8PEMRepresentation + "\n"), ("client_email", Self.email),
            ("client_id", "100000000000000000000"), ("auth_uri", "https://accounts.google.com/o/oauth2/auth"),
            ("token_uri", tokenURI), ("universe_domain", "googleapis.com"),
        ]
        let text = members.map { "  \(jsonText($0)): \(jsonText($1))" }.joined(separator: ",\n")
        try AuthorityDirectory.save("{\n\(text)\n}\n", to: path, mode: 0o600)
    }
}
