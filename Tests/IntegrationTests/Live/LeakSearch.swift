import Foundation

/// Something that must be in no log and no dump.
struct KnownSecret: Sendable {
    let name: String
    let bytes: [UInt8]

    init(_ name: String, _ bytes: some Sequence<UInt8>) {
        self.name = name
        self.bytes = Array(bytes)
    }

    /// A private key is its scalar (RFC 5915): in whatever form it stands, its halves stand in it.
    static func key(_ name: String, scalar: some Sequence<UInt8>) -> [KnownSecret] {
        let scalar = Array(scalar)
        return [
            KnownSecret("\(name), first half", scalar.prefix(16)),
            KnownSecret("\(name), second half", scalar.dropFirst(16)),
        ]
    }
}

/// Looks for secrets in text, in every form in which programs are known to print bytes.
struct LeakSearch: Sendable {
    /// By their first eight bytes: one pass finds all.
    private var needles: [UInt64: [(name: String, bytes: [UInt8])]] = [:]

    init(_ secrets: [KnownSecret]) {
        for secret in secrets {
            for (form, bytes) in Self.forms(of: secret.bytes) {
                let start = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
                needles[start, default: []].append(("\(secret.name) as \(form)", bytes))
            }
        }
    }

    /// What of it is there.
    func leaks(in text: some Sequence<UInt8>) -> Set<String> {
        let text = Array(text)
        // base64 is broken into lines
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

    static func forms(of bytes: [UInt8]) -> [String: [UInt8]] {
        let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        var forms: [String: [UInt8]] = [
            "bytes": bytes, "hex": Array(hex.utf8), "HEX": Array(hex.uppercased().utf8),
            "numbers": Array(bytes.map(String.init).joined(separator: ",").utf8),
            "numbers with spaces": Array(bytes.map(String.init).joined(separator: ", ").utf8),
            "octal": bytes.flatMap(octal),
        ]
        for offset in 0..<3 {
            // in base64 of something longer, the first and the last character depend on the neighbours
            let text = Data(Array(repeating: 0, count: offset) + bytes).base64EncodedString()
                .replacing("=", with: "").dropFirst(offset == 0 ? 0 : offset + 1).dropLast()
            forms["base64 at \(offset)"] = Array(text.utf8)
            forms["base64url at \(offset)"] = Array(text.replacing("+", with: "-").replacing("/", with: "_").utf8)
        }
        return forms
    }

    /// PostgreSQL's escape format of bytea.
    private static func octal(_ byte: UInt8) -> [UInt8] {
        if byte == 0x5C { return Array("\\\\".utf8) }
        if (0x20..<0x7F).contains(byte) { return [byte] }
        let digits = String(byte, radix: 8)
        return Array(("\\" + String(repeating: "0", count: 3 - digits.count) + digits).utf8)
    }
}

/// Finds whole device tokens: runs of hexadecimal digits with one of them inside.
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

/// JSON Web Tokens of whomever: header and claims begin with a brace and a quotation mark.
func webTokens(in text: String) -> [String] {
    text.matches(of: /eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}/).map { String($0.output) }
}
