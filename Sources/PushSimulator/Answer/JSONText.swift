/// Returns the string as a JSON string literal (RFC 8259, section 7).
package func jsonText(_ string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
        switch scalar {
        case "\"", "\\": text += "\\\(scalar)"
        case "\0"..."\u{1f}":
            let digits = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: text.unicodeScalars.append(scalar)
        }
    }
    return text + "\""
}
