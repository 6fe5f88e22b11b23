import Crypto
import Foundation

/// The keys of a keyring, parsed from lines `<key id> <base64 of 32 bytes>`. Empty lines and lines that begin with `#`
/// are skipped. The first key is the current one.
struct MasterKeys: Sendable, Equatable {
    let current: (id: String, key: SymmetricKey)
    private let keys: [String: SymmetricKey]

    /// Parses the keys.
    /// - Parameter source: the name of the text in errors.
    /// - Throws: ``StoreError`` with code `keyring`, which names the line.
    init(text: some Collection<UInt8>, source: String) throws(StoreError) {
        var keys: [String: SymmetricKey] = [:]
        var first: (id: String, key: SymmetricKey)?
        let lines = text.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "\n") }
        for (index, line) in lines.enumerated() {
            let fields = line.split { [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")].contains($0) }
            guard let name = fields.first, name.first != UInt8(ascii: "#") else { continue }
            let place = "\(source), line \(index + 1)"
            guard fields.count == 2 else {
                throw .keyring(place, "expected <key id> <base64 of 32 bytes>")
            }
            let id = String(decoding: name, as: UTF8.self)
            guard id.count <= 64, id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) })
            else {
                throw .keyring(place, "a key id may have up to 64 characters of A–Z a–z 0–9 . _ -")
            }
            guard let key = Self.key(base64: fields[1]) else {
                throw .keyring(place, "the key of \(id) is not 32 bytes in base64")
            }
            guard keys.updateValue(key, forKey: id) == nil else {
                throw .keyring(place, "key id \(id) is given twice")
            }
            first = first ?? (id, key)
        }
        guard let first else { throw .keyring(source, "has no key") }
        current = first
        self.keys = keys
    }

    var ids: Set<String> { Set(keys.keys) }

    subscript(id: String) -> SymmetricKey? { keys[id] }

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.current.id == rhs.current.id && lhs.keys == rhs.keys }

    /// Returns a key from its base64 text, or `nil` if the text is not valid. The function erases its own copies of the
    /// key. The caller must erase the text, and Crypto erases the result.
    private static func key(base64: some Collection<UInt8>) -> SymmetricKey? {
        var text = Data(base64)
        defer { text.erase() }
        guard var material = Data(base64Encoded: text) else { return nil }
        defer { material.erase() }
        return material.count == 32 ? SymmetricKey(data: material) : nil
    }
}

extension StoreError {
    static func keyring(_ place: String, _ problem: String) -> Self {
        Self(.keyring, "keyring \(place): \(problem)")
    }
}
