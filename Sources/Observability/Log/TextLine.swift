import Foundations
import Logging
import PushModel

extension LogLine {
    private static let longestText = 8_000
    private static let mostElements = 100

    /// The line as printable text. Characters that a terminal would interpret are escaped in the message, the keys and
    /// the values.
    package var text: String {
        var text = "\(at.rfc3339) \(level.rawValue) "
        if let event { text += "\(event.name): " }
        text += Self.cut(message)
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            guard text.utf8.count < Self.longestText else {
                text += " …"
                break
            }
            text += " \(Self.cut(key))=\(Self.quoted(Self.cut(Self.plain(value))))"
        }
        return Self.cut(text).printable
    }

    /// Returns a value as text. Commas separate elements, and a colon separates a key from its value. Lists and
    /// dictionaries that are nested more than four levels deep become `…`.
    private static func plain(_ value: Logger.MetadataValue, depth: Int = 0) -> String {
        switch value {
        case .string(let text): text
        case .stringConvertible(let other): "\(other)"
        case .array where depth > 3, .dictionary where depth > 3: "…"
        case .array(let values): values.prefix(mostElements).map { plain($0, depth: depth + 1) }.joined(separator: ",")
        case .dictionary(let values):
            values.sorted { $0.key < $1.key }.prefix(mostElements)
                .map { "\($0.key):\(plain($0.value, depth: depth + 1))" }.joined(separator: ",")
        }
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > longestText else { return text }
        return text.cut(toBytes: longestText) + "…"
    }

    private static func quoted(_ value: String) -> String {
        let needsNone =
            !value.isEmpty && value.utf8.allSatisfy { ![0x22, 0x3D, 0x5C].contains($0) && $0 > 0x20 }
        guard !needsNone else { return value }
        return "\"" + value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

extension String {
    /// Returns the longest prefix of at most `most` bytes that does not split a Unicode scalar.
    func cut(toBytes most: Int) -> String {
        guard utf8.count > most else { return self }
        var end = utf8.index(startIndex, offsetBy: most)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
