internal import CryptoExtras
internal import PushSimulator

/// A service account that the simulator accepts, with its project and the public key that verifies its signatures.
public struct SimulatedAccount: Sendable {
    /// The project ID.
    public let project: String
    /// The project number. A request path may contain either the ID or the number.
    public let projectNumber: String
    public let email: String
    public let keyID: String
    let publicKey: _RSA.Signing.PublicKey

    /// Creates an account.
    ///
    /// - Parameter pem: The public or the private key.
    /// - Throws: `SimulatorError` if the text is not an RSA key with at least 2,048 bits.
    public init(project: String, projectNumber: String? = nil, email: String, keyID: String, pem: String) throws {
        guard
            let publicKey = (try? _RSA.Signing.PrivateKey(pemRepresentation: pem).publicKey)
                ?? (try? _RSA.Signing.PublicKey(pemRepresentation: pem))
        else { throw SimulatorError("private_key: no key of RSA in PEM form") }
        self.project = project
        self.projectNumber = projectNumber ?? Self.number(project)
        self.email = email
        self.keyID = keyID
        self.publicKey = publicKey
    }

    /// Derives a project number that is always the same for the same project.
    private static func number(_ project: String) -> String {
        String(project.utf8.reduce(UInt64(1)) { ($0 &* 131 &+ UInt64($1)) % 900_000_000_000 } + 100_000_000_000)
    }
}
