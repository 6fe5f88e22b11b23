/// The reasons why a package cannot be made. Each line names the file, the field if there is one, and the problem.
package struct PackageFault: Error, Sendable, Hashable, CustomStringConvertible {
    package let lines: [String]
    package var description: String { lines.joined(separator: "\n") }

    package init(_ lines: [String]) { self.lines = lines }
    package init(_ line: String) { lines = [line] }
}
