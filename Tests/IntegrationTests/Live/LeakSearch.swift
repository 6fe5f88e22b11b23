import Foundation

/// A secret that must not appear in logs or dumps.
struct KnownSecret: Sendable {
    let name: String
    let bytes: [UInt8]

    init(_ name: String, _ bytes: some Sequence<UInt8>) {
        self.name = name
        self.bytes = Array(bytes)
    }

    /// Returns the halves of a private key's scalar as secrets. Every encoding of the key contains the scalar (RFC
    /// 5915).
    static func key(_ name: String, scalar: some Sequence<UInt8>) -> [KnownSecret] {
        let scalar = Array(scalar)
        return [
            KnownSecret("\(name), first half", scalar.prefix(16)),
            KnownSecret("\(name), second half", scalar.dropFirst(16)),
        ]
    }
}

/// A search for secrets in text, in every form in which programs commonly print bytes.
struct LeakSearch: Sendable {
    /// The encoded secrets by their first eight bytes, so that one pass over a text finds all of them.
    private var needles: [UInt64: [(name: String, bytes: [UInt8])]] = [:]

    init(_ secrets: [KnownSecret]) {
        for secret in secrets {
            for (form, bytes) in Self.forms(of: secret.bytes) {
                let start = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
                needles[start, default: []].append(("\(secret.name) as \(form)", bytes))
            }
        }
    }

    /// Returns the names of the secrets that a text contains.
    func leaks(in text: some Sequence<UInt8>) -> Set<String> {
        let text = Array(text)
        // Base64 text may be broken into lines.
        return found(in: text).union(found(in: text.filter { ![0x20, 0x0A, 0x0D].contains($0) }))
    }

    private func found(in text: [UInt8]) -> Set<String> {
        var found: Set<String> = []
        var window: UInt64 = 0
        for (index, byte) in text.enumerated() {
            window = window << 8 | UInt64(byte)
            guard index >= 7, let candidates = needles[window] else { continue }
            for needle in candidates where text[(index - 7)...].starts(with: needle.bytes) { found.insert(needle.name) }
        }
        return found
    }

    /// Returns the encodings of bytes, by name.
    static func forms(of bytes: [UInt8]) -> [String: [UInt8]] {
        let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        var forms: [String: [UInt8]] = [
            "bytes": bytes, "hex": Array(hex.utf8), "HEX": Array(hex.uppercased().utf8),
            "numbers": Array(bytes.map(String.init).joined(separator: ",").utf8),
            "numbers with spaces": Array(bytes.map(String.init).joined(separator: ", ").utf8),
            "octal": bytes.flatMap(octal),
        ]
        for offset in 0..<3 {
            // In the base64 text of a longer value, the first and the last character depend on the neighbouring bytes.
            let text = Data(Array(repeating: 0, count: offset) + bytes).base64EncodedString()
                .replacing("=", with: "").dropFirst(offset == 0 ? 0 : offset + 1).dropLast()
            forms["base64 at \(offset)"] = Array(text.utf8)
            forms["base64url at \(offset)"] = Array(text.replacing("+", with: "-").replacing("/", with: "_").utf8)
        }
        return forms
    }

    /// Returns a byte in PostgreSQL's escape format of bytea.
    private static func octal(_ byte: UInt8) -> [UInt8] {
        if byte == 0x5C { return Array("\\\\".utf8) }
        if (0x20..<0x7F).contains(byte) { return [byte] }
        let digits = String(byte, radix: 8)
        return Array(("\\" + String(repeating: "0", count: 3 - digits.count) + digits).utf8)
    }
}

/// Returns the known device tokens that a text contains in full, also within longer runs of hexadecimal digits.
func deviceTokens(of known: Set<String>, in text: some Sequence<UInt8>) -> Set<String> {
    var found: Set<String> = []
    var run: [UInt8] = []
    func look() {
        defer { run.removeAll(keepingCapacity: true) }
        guard run.count >= 64 else { return }
        for start in 0...run.count - 64 {
            let token = String(decoding: run[start..<start + 64], as: UTF8.self).lowercased()
            if known.contains(token) { found.insert(token) }
        }
    }
    for byte in text {
        if Character(UnicodeScalar(byte)).isHexDigit { run.append(byte) } else { look() }
    }
    look()
    return found
}

/// Returns all JSON Web Tokens in a text. Header and claims are JSON objects, so the base64 text of both begins with
/// `eyJ`.
func webTokens(in text: String) -> [String] {
    text.matches(of: /eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}/).map { String($0.output) }
}
