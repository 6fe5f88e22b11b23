import PushModel

/// A piece of an HTML document.
///
/// Text enters a document only through ``init(_:)`` and through attribute values, and both escape it. The names of
/// elements and attributes are literals in the program. Therefore external text can't become markup.
package struct HTML: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral {
    /// The HTML text of the piece.
    package private(set) var source: String

    /// Creates a text node. Markup characters are escaped, and invisible characters are replaced by visible escape
    /// sequences.
    package init(_ text: String) { source = Self.escaped(text) }

    package init(stringLiteral value: String) { self.init(value) }

    package init(arrayLiteral parts: HTML...) { self.init(parts) }

    package init(_ parts: [HTML]) {
        source = ""
        source.reserveCapacity(parts.reduce(0) { $0 + $1.source.utf8.count })
        for part in parts { source += part.source }
    }

    package static func element(_ name: StaticString, _ content: HTML) -> HTML { element(name, [:], content) }

    package static func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>, _ content: HTML
    ) -> HTML {
        var html = tag(name, attributes)
        html.source += content.source
        html.source += "</\(name)>"
        return html
    }

    /// Returns a start tag. An element without content, such as `meta`, consists only of its start tag.
    package static func tag(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String> = [:]) -> HTML {
        var html: HTML = []
        html.source = "<\(name)"
        for (key, value) in attributes {
            html.source += " \(key)=\""
            html.source += escaped(value)
            html.source += "\""
        }
        html.source += ">"
        return html
    }

    package static func document(_ content: HTML) -> HTML {
        var html: HTML = []
        html.source = "<!doctype html>\n" + content.source + "\n"
        return html
    }

    private static func escaped(_ text: String) -> String {
        if text.utf8.allSatisfy({ isPlain[Int($0)] }) { return text }
        let text = text.printable
        guard text.utf8.contains(where: { escape($0) != nil }) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII, let escape = escape(UInt8(scalar.value)) {
                escaped += escape
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// A list that states for each byte value whether it is a printable ASCII character that needs no escape.
    private static let isPlain = (0...UInt8.max).map { (0x20..<0x7F).contains($0) && escape($0) == nil }

    private static func escape(_ byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        case UInt8(ascii: "`"): "&#96;"
        default: nil
        }
    }
}
