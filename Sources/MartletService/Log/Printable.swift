extension String {
    /// As one line that a terminal only shows: what would move its cursor, colour it, turn the direction of writing or
    /// stay unseen (control and format characters, line ends) is written out, as `\n` or `\u{1B}`.
    ///
    /// Whatever came from outside goes through this before a person sees it: names of jobs and certificates, reasons,
    /// errors, headers.
    public var printable: String {
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

    /// The same for text of ours that has several lines.
    public var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }

    /// The same for JSON, which it stays, with the same value: within its texts as JSON's own escapes. Between them JSON
    /// allows of these only white space.
    public var printableJSON: String {
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
    /// A terminal would do something else than show it.
    var isUnseen: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
        default: false
        }
    }
}
