import Crypto
import Foundation

/// The master keys that secrets are sealed under: the first seals, all open.
///
/// A file of lines `<key id> <base64 of 32 bytes>`; empty lines and lines that begin with `#` are skipped.
/// To change the master key, put a new line on top and keep the old ones until nothing is sealed under them.
public struct MasterKeyring: Sendable {
    let current: MasterKey
    private let keys: [String: SymmetricKey]

    /// Reads a keyring file, which nobody but its owner and group may read, and only its owner write.
    /// - Throws: ``CredentialStoreError`` with code `keyring`, naming the file and line.
    public init(file path: String) throws(CredentialStoreError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw .keyring(path, String(cString: strerror(errno)))
        }
        let (groupMayWrite, othersMayDoAnything): (mode_t, mode_t) = (0o020, 0o007)
        guard status.st_mode & (groupMayWrite | othersMayDoAnything) == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw .keyring(path, "its permissions (0\(mode)) are too wide: run chmod 600, or 640 for a group")
        }
        guard let contents = FileManager.default.contents(atPath: path) else {
            throw .keyring(path, "can't be read")
        }
        try self.init(text: String(decoding: contents, as: UTF8.self), source: path)
    }

    /// - Parameter source: what errors call the text.
    /// - Throws: ``CredentialStoreError`` with code `keyring`, naming the line.
    public init(text: String, source: String) throws(CredentialStoreError) {
        var keys: [String: SymmetricKey] = [:]
        var first: MasterKey?
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard let id = fields.first.map(String.init), !id.hasPrefix("#") else { continue }
            let place = "\(source), line \(index + 1)"
            guard fields.count == 2 else {
                throw .keyring(place, "expected <key id> <base64 of 32 bytes>")
            }
            guard id.count <= 64, id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) })
            else {
                throw .keyring(place, "a key id is up to 64 of A–Z a–z 0–9 . _ -")
            }
            guard let material = Data(base64Encoded: String(fields[1])), material.count == 32 else {
                throw .keyring(place, "the key of \(id) is not 32 bytes in base64")
            }
            let key = SymmetricKey(data: material)
            guard keys.updateValue(key, forKey: id) == nil else {
                throw .keyring(place, "key id \(id) is there twice")
            }
            first = first ?? MasterKey(id: id, key: key)
        }
        guard let first else { throw .keyring(source, "has no key") }
        current = first
        self.keys = keys
    }

    /// The id of the key that seals.
    public var currentKeyID: String { current.id }
    public var keyIDs: Set<String> { Set(keys.keys) }

    func key(_ id: String) -> SymmetricKey? { keys[id] }
}

struct MasterKey: Sendable {
    let id: String
    let key: SymmetricKey
}

extension CredentialStoreError {
    fileprivate static func keyring(_ place: String, _ problem: String) -> Self {
        Self(.keyring, "keyring \(place): \(problem)")
    }
}
