internal import Crypto
internal import Foundation
internal import PushSimulator

extension AuthorityDirectory {
    /// Reads the secret from which subscriptions are derived, or creates it. The stored secret keeps subscriptions
    /// valid after a restart.
    ///
    /// - Throws: ``SimulatorError`` that names the file if it cannot be used.
    func loadOrCreateSubscriptionSecret() throws -> SymmetricKey {
        let path = path + "/webpush-secret"
        return try whileLocked {
            guard let text = FileManager.default.contents(atPath: path) else {
                let key = SymmetricKey(size: .bits256)
                try Self.save(key.withUnsafeBytes { UnpaddedBase64.encode($0) } + "\n", to: path, mode: 0o600)
                return key
            }
            guard
                let bytes = UnpaddedBase64.decode(
                    String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)),
                bytes.count == 32
            else { throw SimulatorError("\(path): contains no secret; delete it to create a new one") }
            return SymmetricKey(data: bytes)
        }
    }
}
