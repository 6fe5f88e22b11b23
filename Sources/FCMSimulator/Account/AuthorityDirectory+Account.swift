internal import CryptoExtras
internal import Foundation
public import PushSimulator

extension AuthorityDirectory {
    /// Returns the stored throwaway account, or a new account with a new key. ``ThrowawayAccount/save(tokenURI:)``
    /// stores the new account.
    ///
    /// - Throws: `SimulatorError` that names the file if it cannot be used.
    public func loadOrCreateAccount() throws -> ThrowawayAccount {
        let path = path + "/service-account.json"
        return try whileLocked {
            guard FileManager.default.fileExists(atPath: path) else {
                return ThrowawayAccount(path: path, privateKey: try _RSA.Signing.PrivateKey(keySize: .bits2048))
            }
            guard let text = FileManager.default.contents(atPath: path),
                let pem = JSONReader.read(Array(text))?.member("private_key")?.text,
                let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem)
            else { throw SimulatorError("\(path): contains no usable key; delete it to create a new one") }
            return ThrowawayAccount(path: path, privateKey: key)
        }
    }
}
