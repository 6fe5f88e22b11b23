internal import CryptoExtras
internal import PushSimulator

/// A service account as the simulator knows it: whose signature is good, and for which project.
public struct SimulatedAccount: Sendable {
    /// The project's id.
    public let project: String
    /// The same as a number; a path may have either.
    public let projectNumber: String
    public let email: String
    public let keyID: String
    let publicKey: _RSA.Signing.PublicKey

    /// - Parameter pem: the public key, or the private one.
    /// - Throws: `SimulatorError` if it is no key of RSA with 2,048 bits or more.
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

    /// Some number, always the same for the same project.
    private static func number(_ project: String) -> String {
        String(project.utf8.reduce(UInt64(1)) { ($0 &* 131 &+ UInt64($1)) % 900_000_000_000 } + 100_000_000_000)
    }
}
