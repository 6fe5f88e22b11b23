internal import Crypto
internal import Foundation
public import PushSimulator

extension AuthorityDirectory {
    /// Reads the stored throwaway key, or creates and stores a new one. Another process may call this at the same time.
    ///
    /// - Throws: `SimulatorError` that names the file if it cannot be read, used or written.
    public func loadOrCreateKey() throws -> ThrowawayKey {
        let keyPath = path + "/AuthKey_\(ThrowawayKey.keyID).p8"
        return try whileLocked {
            guard FileManager.default.fileExists(atPath: keyPath) else {
                let key = P256.Signing.PrivateKey()
                try Self.save(key.pemRepresentation + "\n", to: keyPath, mode: 0o600)
                return ThrowawayKey(path: keyPath, privateKey: key)
            }
            guard let text = try? String(contentsOfFile: keyPath, encoding: .utf8),
                let key = try? P256.Signing.PrivateKey(pemRepresentation: text)
            else { throw SimulatorError("\(keyPath): contains no usable key; delete it to create a new one") }
            return ThrowawayKey(path: keyPath, privateKey: key)
        }
    }
}
