extension String {
    /// The text as one line that a terminal displays without side effects. Line ends, control characters and format
    /// characters are escaped as `\n` or `\u{1B}`, because they could move the cursor, colour or reverse the text, or
    /// be invisible.
    ///
    /// All external text passes through this property before a command or the log prints it: names of jobs and
    /// certificates, reasons, a provider's error messages, headers. Reasons and a provider's error messages are also
    /// escaped in result events.
    package var printable: String {
        guard !utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.isUnseen: text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The text with each of its lines made ``printable``. It is used for Martlet's own strings with several lines.
    package var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }

    /// The JSON text as one printable line with the same value. Inside strings, unprintable characters become JSON
    /// escapes. White space between values becomes a space.
    package var printableJSON: String {
        guard !utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if ["\n", "\r", "\t"].contains(scalar) {
                text += " "
            } else if scalar.isUnseen {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// Whether a terminal would interpret or hide this scalar instead of displaying it.
    package var isUnseen: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
        default: false
        }
    }
}

extension String {
    /// A provider's text made ``printable`` and shortened for an event, a log line or a metric. A shortened text ends
    /// with `…` and contains only whole characters.
    ///
    /// - Parameter bytes: the maximum number of bytes to keep, without the `…`.
    package func printable(upTo bytes: Int) -> String {
        // Only a prefix needs to be escaped, because escaping never shortens a text.
        let text = (utf8.count > bytes * 4 ? String(decoding: utf8.prefix(bytes * 4), as: UTF8.self) : self).printable
        guard text.utf8.count > bytes else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: bytes)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return text[..<end] + "…"
    }
}
