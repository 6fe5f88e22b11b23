/// What others say, cut to what a log, a metric and an event can bear.
enum ShownText {
    /// A word of the provider's, such as a reason.
    static func word(_ text: String) -> String {
        cut(
            text.filter { character in
                character.utf8.count == 1 && character.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            }, 64)
    }

    static func line(_ text: String) -> String { cut(text, 200) }

    private static func cut(_ text: String, _ bytes: Int) -> String {
        text.utf8.count <= bytes ? text : String(decoding: text.utf8.prefix(bytes), as: UTF8.self) + "…"
    }
}
