import AMQPClient
import DequeModule
import PushModel
package import Store

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
        /// - entry: that of its message in the ledger.
        case held(HeldEvent, entry: Int)

        fileprivate func marks(_ recipients: [String: RecipientForm]) -> [TokenMark] {
            switch self {
            case .outcome(_, let mark): [mark]
            // An event that can't be read back is told all the same.
            case .held(let held, _): HeldMarks.read(held.event.body, recipients) ?? []
            }
        }
    }

    /// So many are written without waiting for more.
    static let enoughMarks = 1_000

    /// Their form, by output.
    private let recipients: [String: RecipientForm]
    private var queue = StatementQueue<Finding>()
    /// Not read yet: there may be thousands, of hundreds of tokens each. They have waited, and go on waiting behind
    /// what is found out now, whose jobs are open.
    private var held: Deque<Finding> = []
    /// A statement has had no answer for so long that nobody waits for it.
    private(set) var isDelayed = false

    /// There are marks and nothing keeps them from being written.
    var canBeWritten: Bool { !queue.isAsking && !(queue.gathering.isEmpty && held.isEmpty) }
    /// There is no point in waiting for more.
    var isFull: Bool { !queue.isAsking && (queue.gathering.count >= Self.enoughMarks || !held.isEmpty) }

    init(recipients: [String: RecipientForm]) {
        self.recipients = recipients
    }

    /// That wait, or are being written.
    var count: Int { queue.count + held.count }

    mutating func add(_ mark: TokenMark, _ outcome: Outcome) { queue.add(.outcome(outcome, mark)) }

    mutating func add(_ event: HeldEvent, entry: Int) { held.append(.held(event, entry: entry)) }

    /// What to write next, unless something is being written or there is nothing.
    mutating func next(id: UInt64) -> Batch? {
        guard canBeWritten else { return nil }
        var marks = queue.gathering.flatMap { $0.marks(recipients) }
        var taken = 0
        while marks.count < Self.enoughMarks, taken < held.count {
            marks += held[taken].marks(recipients)
            queue.add(held[taken])
            taken += 1
        }
        held.removeFirst(taken)
        _ = queue.next(id: id)
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
        guard queue.asks(id), !isDelayed else { return [] }
        isDelayed = true
        let (written, gathering) = queue.takeOut()
        defer { held = [] }
        return written + gathering + held
    }
}
