/// Why no package can be made: each line names the file, the field where there is one, and what is wrong.
package struct PackageFault: Error, Sendable, Hashable, CustomStringConvertible {
    package let lines: [String]
    package var description: String { lines.joined(separator: "\n") }

    package init(_ lines: [String]) { self.lines = lines }
    package init(_ line: String) { lines = [line] }
}
