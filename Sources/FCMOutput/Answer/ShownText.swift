import PushModel

/// Functions that shorten and escape Google's strings for logs, metrics and result events.
enum ShownText {
    /// Returns a code, such as a reason, in printable ASCII without spaces. It is cut after 64 bytes.
    static func word(_ text: String) -> String {
        text.filter { character in
            character.utf8.count == 1 && character.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }.printable(upTo: 64)
    }

    /// Returns a sentence on one line. It is cut after 200 bytes.
    static func line(_ text: String) -> String { text.printable(upTo: 200) }
}
