internal import CryptoExtras
internal import PushSimulator

/// A service account that the simulator accepts, with its project and its public key.
public struct SimulatedAccount: Sendable {
    /// The id of the project.
    public let project: String
    /// The number of the project. The path of a request may contain either the id or the number.
    public let projectNumber: String
    public let email: String
    public let keyID: String
    let publicKey: _RSA.Signing.PublicKey

    /// Creates an account.
    ///
    /// - Parameter pem: the public or private key of the account, in PEM.
    /// - Throws: `SimulatorError` if the text is not an RSA key with at least 2,048 bits.
    public init(project: String, projectNumber: String? = nil, email: String, keyID: String, pem: String) throws {
        guard
            let publicKey = (try? _RSA.Signing.PrivateKey(pemRepresentation: pem).publicKey)
                ?? (try? _RSA.Signing.PublicKey(pemRepresentation: pem))
        else { throw SimulatorError("private_key: must be an RSA key in PEM form") }
        self.project = project
        self.projectNumber = projectNumber ?? Self.number(project)
        self.email = email
        self.keyID = keyID
        self.publicKey = publicKey
    }

    /// Returns a project number that is derived from the project's id, so that it is always the same.
    private static func number(_ project: String) -> String {
        String(project.utf8.reduce(UInt64(1)) { ($0 &* 131 &+ UInt64($1)) % 900_000_000_000 } + 100_000_000_000)
    }
}
