/// A parser for expressions over topics, such as `'a' in topics && !('b' in topics || 'c' in topics)`. An expression
/// may name at most five topics.
package struct TopicCondition {
    private var rest: Substring
    private var topics = 0
    private static let mostTopics = 5

    package static func isGood(_ text: String) -> Bool {
        var condition = TopicCondition(rest: text[...])
        return condition.expression() && condition.rest.isEmpty && condition.topics <= mostTopics
    }

    private mutating func expression(depth: Int = 0) -> Bool {
        guard term(depth: depth) else { return false }
        while take("&&") || take("||") {
            guard term(depth: depth) else { return false }
        }
        return true
    }

    private mutating func term(depth: Int) -> Bool {
        guard depth < Self.mostTopics * 4 else { return false }
        if take("!") { return term(depth: depth + 1) }
        if take("(") { return expression(depth: depth + 1) && take(")") }
        guard let match = rest.prefixMatch(of: /'[a-zA-Z0-9\-_.~%]+'\s*in\s+topics\b\s*/) else { return false }
        rest = rest[match.range.upperBound...]
        topics += 1
        return true
    }

    private mutating func take(_ symbol: String) -> Bool {
        rest = rest.drop(while: \.isWhitespace)
        guard rest.hasPrefix(symbol) else { return false }
        rest = rest.dropFirst(symbol.count).drop(while: \.isWhitespace)
        return true
    }
}
