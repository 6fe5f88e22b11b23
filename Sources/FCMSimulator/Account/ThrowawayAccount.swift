internal import CryptoExtras
internal import PushSimulator

/// A service account for developers who have no account from Google. Its key is created once for each directory and is
/// valid only for simulators.
public struct ThrowawayAccount: Sendable {
    public static let project = "simulated-project"
    public static let keyID = "51a1eda51a1eda51a1eda51a1eda51a1eda51a1e"
    static var email: String { "simulator@\(project).iam.gserviceaccount.com" }

    /// The path of the key file.
    public let path: String
    let privateKey: _RSA.Signing.PrivateKey

    /// The account with its public key only, for registration with a simulator.
    public var account: SimulatedAccount {
        get throws {
            try SimulatedAccount(
                project: Self.project, email: Self.email, keyID: Self.keyID, pem: privateKey.publicKey.pemRepresentation
            )
        }
    }

    /// Writes the key file that a sender needs. It has the format of Google's files and names the simulator's token
    /// endpoint.
    ///
    /// - Parameter tokenURI: the URL of the token endpoint.
    /// - Throws: `SimulatorError` that names the file.
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
