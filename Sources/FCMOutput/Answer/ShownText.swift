import PushModel

/// Functions that shorten and escape Google's strings for logs, metrics and result events.
enum ShownText {
    /// Returns the visible ASCII characters of a code, such as a reason. A code of more than 64 bytes is cut and ends
    /// with `…`.
    static func word(_ text: String) -> String {
        text.filter { character in
            character.utf8.count == 1 && character.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }.printable(upTo: 64)
    }

    /// Returns a sentence on one line. It is cut after 200 bytes.
    static func line(_ text: String) -> String { text.printable(upTo: 200) }
}
