import Crypto
public import PushModel

/// AES-256-GCM with a random nonce (NIST SP 800-38D).
extension MasterKeyring {
    /// AES-256-GCM directly under the master key.
    private static var format: UInt8 { 1 }

    /// Seals under the current key.
    public func seal(_ secret: Secret, for row: SealedRow) throws -> SealedSecret {
        let box = try secret.withBytes { bytes in
            try AES.GCM.seal(bytes, using: current.key, authenticating: row.associatedData)
        }
        return SealedSecret(
            bytes: [Self.format] + Array(box.nonce) + Array(box.ciphertext) + Array(box.tag), masterKeyID: current.id)
    }

    /// - Throws: ``CredentialStoreError`` with code `missingMasterKey`, naming the key id, or `sealBroken`,
    ///   naming the row.
    public func open(_ sealed: SealedSecret, for row: SealedRow) throws(CredentialStoreError) -> Secret {
        guard let key = key(sealed.masterKeyID) else {
            throw CredentialStoreError(
                .missingMasterKey,
                "\(row) is sealed under master key \(sealed.masterKeyID), which is not in the keyring")
        }
        guard sealed.bytes.first == Self.format else {
            throw CredentialStoreError(.sealBroken, "\(row) is sealed in a format that this version does not know")
        }
        do {
            let box = try AES.GCM.SealedBox(combined: sealed.bytes.dropFirst())
            return Secret(try AES.GCM.open(box, using: key, authenticating: row.associatedData))
        } catch {
            throw CredentialStoreError(
                .sealBroken,
                "\(row) does not open under master key \(sealed.masterKeyID): that is another key of the same id, or the row was changed"
            )
        }
    }
}
