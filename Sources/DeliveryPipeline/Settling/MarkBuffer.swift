package import CredentialStore
import PushModel

/// Dead tokens on their way into the database: one statement at a time, the rest gathers meanwhile. Nobody is told
/// of a dead token before it is marked.
package struct MarkBuffer {
    package struct Batch: Sendable {
        package let id: UInt64
        package let marks: [TokenMark]
    }

    /// An outcome to tell when its token is marked.
    struct Finding {
        let outcome: Outcome
        let reason: String
    }

    /// So many are written without waiting for more.
    static let enoughMarks = 1_000

    private var marks: [TokenMark] = []
    private var findings: [Finding] = []
    private var writing: [Finding]?

    /// There are marks and nothing keeps them from being written.
    var canBeWritten: Bool { !marks.isEmpty && writing == nil }
    /// There is no point in waiting for more.
    var isFull: Bool { marks.count >= Self.enoughMarks && writing == nil }

    mutating func add(_ mark: TokenMark, _ finding: Finding) {
        marks.append(mark)
        findings.append(finding)
    }

    /// What to write next, unless something is being written or there is nothing.
    mutating func next(id: UInt64) -> Batch? {
        guard canBeWritten else { return nil }
        defer { (marks, findings, writing) = ([], [], findings) }
        return Batch(id: id, marks: marks)
    }

    /// - Returns: what can be told now.
    mutating func written() -> [Finding] {
        defer { writing = nil }
        return writing ?? []
    }
}
