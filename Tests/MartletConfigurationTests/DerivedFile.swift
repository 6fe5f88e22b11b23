import Testing

/// The lines of a file that has derived parts.
struct DerivedFile {
    private(set) var lines: [String]

    init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    var text: String { lines.joined(separator: "\n") }

    /// Replaces the first block of consecutive lines with a common prefix after a heading.
    mutating func replaceBlock(after heading: String, startingWith prefix: String, with block: [String]) throws {
        let heading = try #require(lines.firstIndex(of: heading), "no heading \(heading)")
        let start = try #require(lines[heading...].firstIndex { $0.hasPrefix(prefix) }, "no line with \(prefix)")
        let end = lines[start...].firstIndex { !$0.hasPrefix(prefix) } ?? lines.endIndex
        lines.replaceSubrange(start..<end, with: block)
    }

    /// Replaces a member of a JSON object, from its first line to the closing brace with the same indentation.
    mutating func replaceObject(_ first: String, with object: [String]) throws {
        let start = try #require(lines.firstIndex(of: first), "no line \(first)")
        let brace = first.prefix { $0 == " " } + "}"
        let end = try #require(lines[start...].firstIndex { $0 == brace || $0 == brace + "," }, "no line \(brace)")
        lines.replaceSubrange(start...end, with: object.dropLast() + [String(lines[end])])
    }

    /// Returns the first lines that differ between two files, or `nil` if the files are equal.
    func firstDifference(from other: DerivedFile) -> String? {
        if lines == other.lines { return nil }
        let index =
            zip(lines, other.lines).enumerated().first { $1.0 != $1.1 }?.offset ?? min(lines.count, other.lines.count)
        return "line \(index + 1): \(line(index)), not \(other.line(index))"
    }

    private func line(_ index: Int) -> String { index < lines.count ? lines[index] : "end of file" }
}
