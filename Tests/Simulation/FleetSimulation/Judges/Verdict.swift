/// The result of judging a history, with the broken promises.
package struct Verdict {
    /// A broken promise, with one example and the number of examples.
    package struct Violation: CustomStringConvertible {
        package let promise: String
        package let text: String
        package let count: Int

        package var description: String { "\(promise): \(text)" + (count > 1 ? " (and \(count - 1) more)" : "") }
    }

    package private(set) var violations: [Violation] = []

    mutating func add(_ promise: String, _ examples: [String]) {
        guard let first = examples.min() else { return }
        violations.append(Violation(promise: promise, text: first, count: examples.count))
    }
}
