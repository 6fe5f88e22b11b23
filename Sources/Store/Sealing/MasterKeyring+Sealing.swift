import Crypto
import Foundation
package import PushModel

/// Sealing and opening of secrets with AES-256-GCM and random nonces (NIST SP 800-38D).
extension MasterKeyring {
    /// The length of a sealed data key in bytes: the nonce, 32 bytes of ciphertext, and the tag.
    private static var sealedKeyLength: Int { 12 + 32 + 16 }

    /// Seals a secret under a new data key. The data key is sealed under the current master key.
    package func seal(_ secret: Secret, for row: SealedRow) throws -> SealedSecret {
        let master = keys.current
        let dataKey = SymmetricKey(size: .bits256)
        let key = try dataKey.withUnsafeBytes { bytes in
            try AES.GCM.seal(bytes, using: master.key, authenticating: row.dataKeyAssociatedData(under: master.id))
        }
        let box = try secret.withBytes { bytes in
            try AES.GCM.seal(bytes, using: dataKey, authenticating: row.associatedData())
        }
        return SealedSecret(bytes: [SealFormat.current.rawValue] + key.parts + box.parts, masterKeyID: master.id)
    }

    /// Returns whether a secret is sealed under the current master key in the current format.
    func isCurrent(_ sealed: SealedSecret) -> Bool {
        sealed.masterKeyID == currentKeyID && sealed.bytes.first == SealFormat.current.rawValue
    }

    /// Opens a secret. If the master key is missing, the keyring file is read again if it has changed.
    /// - Throws: ``StoreError`` with code `missingMasterKey`, which names the key id, or `sealBroken`, which names the
    ///   row.
    package func open(_ sealed: SealedSecret, for row: SealedRow) throws(StoreError) -> Secret {
        if keys[sealed.masterKeyID] == nil { _ = try? refresh() }
        guard let master = keys[sealed.masterKeyID] else {
            throw StoreError(
                .missingMasterKey,
                "\(row) is sealed under master key \(sealed.masterKeyID), which is not in the keyring")
        }
        guard sealed.bytes.first == SealFormat.current.rawValue else {
            throw StoreError(.sealBroken, "\(row) is sealed in a format that this version does not know")
        }
        do {
            let body = sealed.bytes.dropFirst()
            let dataKey = try Secret(
                opening: body.prefix(Self.sealedKeyLength), with: master,
                row.dataKeyAssociatedData(under: sealed.masterKeyID)
            ).withBytes { SymmetricKey(data: $0) }
            return try Secret(opening: body.dropFirst(Self.sealedKeyLength), with: dataKey, row.associatedData())
        } catch {
            throw StoreError(
                .sealBroken,
                "\(row) cannot be opened with master key \(sealed.masterKeyID), so the key or the row was changed")
        }
    }
}

extension SealedRow {
    /// Returns the associated data of a data key. It contains the id of the master key, so that the data key can't be
    /// presented as sealed under a different master key.
    fileprivate func dataKeyAssociatedData(under masterKeyID: String) -> [UInt8] {
        associatedData("data key", masterKeyID)
    }
}

extension AES.GCM.SealedBox {
    fileprivate var parts: [UInt8] { Array(nonce) + Array(ciphertext) + Array(tag) }
}

extension Secret {
    fileprivate init(opening box: ArraySlice<UInt8>, with key: SymmetricKey, _ associatedData: [UInt8]) throws {
        var opened = try AES.GCM.open(
            AES.GCM.SealedBox(combined: box), using: key, authenticating: associatedData)
        defer { opened.erase() }
        self.init(opened)
    }
}

extension Data {
    /// Overwrites the bytes in memory. If another value shares the memory, only a copy is overwritten.
    mutating func erase() { resetBytes(in: startIndex..<endIndex) }
}
