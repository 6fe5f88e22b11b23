import PushModel

/// Google's texts, shortened and escaped for logs, metrics and events.
enum ShownText {
    /// Returns a provider's word, such as a reason, in printable ASCII without spaces.
    static func word(_ text: String) -> String {
        text.filter { character in
            character.utf8.count == 1 && character.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }.printable(upTo: 64)
    }

    /// Returns a provider's sentence on one line.
    static func line(_ text: String) -> String { text.printable(upTo: 200) }
}
