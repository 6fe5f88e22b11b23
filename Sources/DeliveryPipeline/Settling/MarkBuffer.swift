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
        case outcome(Outcome, TokenMark)
        /// Not read yet: there may be thousands, of hundreds of tokens each.
        /// - entry: that of its message in the ledger.
        case held(HeldEvent, entry: Int)

        fileprivate var marks: [TokenMark] {
            switch self {
            case .outcome(_, let mark): [mark]
            // What can't be read back is told all the same.
            case .held(let held, _): HeldMarks.read(held.event.body) ?? []
            }
        }
    }

    /// So many are written without waiting for more.
    static let enoughMarks = 1_000

    private var queue = StatementQueue<Finding>()
    private var heldEvents = 0
    /// A statement has had no answer for so long that nobody waits for it.
    private(set) var isDelayed = false

    /// There are marks and nothing keeps them from being written.
    var canBeWritten: Bool { queue.canAsk }
    /// There is no point in waiting for more.
    var isFull: Bool { queue.canAsk && (queue.gathering.count >= Self.enoughMarks || heldEvents > 0) }

    mutating func add(_ mark: TokenMark, _ outcome: Outcome) { queue.add(.outcome(outcome, mark)) }

    mutating func add(_ event: HeldEvent, entry: Int) {
        queue.add(.held(event, entry: entry))
        heldEvents += 1
    }

    /// What to write next, unless something is being written or there is nothing.
    mutating func next(id: UInt64) -> Batch? {
        guard queue.canAsk else { return nil }
        var marks: [TokenMark] = []
        var count = 0
        for finding in queue.gathering where marks.count < Self.enoughMarks {
            marks += finding.marks
            count += 1
            if case .held = finding { heldEvents -= 1 }
        }
        _ = queue.next(id: id, count)
        return Batch(id: id, marks: marks)
    }

    /// - Returns: what can be told now.
    mutating func written(_ id: UInt64) -> [Finding] {
        guard let findings = queue.answered(id) else { return [] }
        isDelayed = false
        return findings.compactMap(\.self)
    }

    /// There is no answer yet. The statement goes on; marking a token twice is marking it once.
    ///
    /// - Returns: what must not wait here any longer.
    mutating func delayed(_ id: UInt64) -> [Finding] {
        guard queue.isAsking(id), !isDelayed else { return [] }
        (isDelayed, heldEvents) = (true, 0)
        let (written, gathering) = queue.takeOut()
        return written + gathering
    }
}
