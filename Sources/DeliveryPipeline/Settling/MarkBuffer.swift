import AMQPClient
package import CredentialStore
import PushModel

/// Dead tokens on their way into the database: one statement at a time, the rest gathers meanwhile. Nobody is told
/// of a dead token before it is marked. A value: no clock, no I/O.
///
/// | it is | and then |
/// |---|---|
/// | idle, with marks | writes |
/// | writing | written: idle, and what it stands for can be told |
/// | writing for too long | delayed: all that waits for it is handed out, to wait elsewhere, and so is what comes |
/// | delayed | written: idle |
package struct MarkBuffer {
    package struct Batch: Sendable {
        package let id: UInt64
        package let marks: [TokenMark]
    }

    /// What is to be told when its tokens are marked.
    enum Finding {
        case outcome(Outcome, reason: String)
        /// - entry: that of its message in the ledger.
        case held(HeldEvent, entry: Int)
    }

    /// So many are written without waiting for more.
    static let enoughMarks = 1_000

    private var marks: [TokenMark] = []
    private var findings: [Finding] = []
    /// Not read yet: there may be thousands, of hundreds of tokens each.
    private var held: [(event: HeldEvent, entry: Int)] = []
    private var writing: (id: UInt64, findings: [Finding])?
    /// A statement has had no answer for so long that nobody waits for it.
    private(set) var isDelayed = false

    /// There are marks and nothing keeps them from being written.
    var canBeWritten: Bool { writing == nil && !(marks.isEmpty && held.isEmpty) }
    /// There is no point in waiting for more.
    var isFull: Bool { writing == nil && (marks.count >= Self.enoughMarks || !held.isEmpty) }

    mutating func add(_ mark: TokenMark, _ outcome: Outcome) {
        marks.append(mark)
        findings.append(.outcome(outcome, reason: mark.reason))
    }

    mutating func add(_ event: HeldEvent, entry: Int) { held.append((event, entry)) }

    /// What to write next, unless something is being written or there is nothing.
    mutating func next(id: UInt64) -> Batch? {
        guard canBeWritten else { return nil }
        var count = 0
        while marks.count < Self.enoughMarks, count < held.count {
            // What can't be read back is told all the same.
            marks += HeldMarks.read(held[count].event.event.body) ?? []
            findings.append(.held(held[count].event, entry: held[count].entry))
            count += 1
        }
        held.removeFirst(count)
        defer { (marks, findings, writing) = ([], [], (id, findings)) }
        return Batch(id: id, marks: marks)
    }

    /// - Returns: what can be told now.
    mutating func written(_ id: UInt64) -> [Finding] {
        guard let writing, writing.id == id else { return [] }
        self.writing = nil
        isDelayed = false
        return writing.findings
    }

    /// There is no answer yet. The statement goes on; marking a token twice is marking it once.
    ///
    /// - Returns: what must not wait here any longer.
    mutating func delayed(_ id: UInt64) -> [Finding] {
        guard let writing, writing.id == id, !isDelayed else { return [] }
        isDelayed = true
        defer { (marks, findings, held, self.writing) = ([], [], [], (id, [])) }
        return writing.findings + findings + held.map { .held($0.event, entry: $0.entry) }
    }
}
