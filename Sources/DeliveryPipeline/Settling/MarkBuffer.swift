import AMQPClient
import DequeModule
import PushModel
package import Store

/// The marks of dead tokens that wait for the database. Only one statement runs at a time, and further marks are
/// collected until it is answered. The result event for a dead token is published after the token is marked. A value
/// type without clock or I/O.
///
/// | state | next |
/// |---|---|
/// | idle, with marks | the marks are written |
/// | writing | after the answer: idle, and the events of the marked tokens are published |
/// | writing for too long | delayed: waiting and new outcomes and events are moved to delay queues |
/// | delayed | after the answer: idle |
package struct MarkBuffer {
    package struct Batch: Sendable {
        package let id: UInt64
        package let marks: [TokenMark]
    }

    /// An outcome or a delayed result event that is published once its tokens are marked.
    enum Finding {
        case outcome(Outcome, TokenMark)
        /// A delayed result event, and the entry of its message in the pending settlements.
        case held(DelayedEvent, entry: Int)

        fileprivate func marks(_ recipients: [String: RecipientForm]) -> [TokenMark] {
            switch self {
            case .outcome(_, let mark): [mark]
            // An event that cannot be decoded is published without marks.
            case .held(let held, _): DelayedMarks.read(held.event.body, recipients) ?? []
            }
        }
    }

    /// The number of marks that are written without waiting for more.
    static let enoughMarks = 1_000

    /// The form of each output's recipients.
    private let recipients: [String: RecipientForm]
    private var queue = StatementQueue<Finding>()
    /// The delayed result events whose marks are not decoded yet. There may be thousands of events, with hundreds of
    /// tokens each. New outcomes are marked first, because their jobs are still open.
    private var held: Deque<Finding> = []
    /// Whether the current statement has timed out, so that outcomes and events no longer wait for it in this worker.
    private(set) var isDelayed = false

    /// Whether there are marks that can be written now.
    var canBeWritten: Bool { !queue.isAsking && !(queue.gathering.isEmpty && held.isEmpty) }
    /// Whether the marks should be written at once, because they fill a batch or belong to delayed result events.
    var isFull: Bool { !queue.isAsking && (queue.gathering.count >= Self.enoughMarks || !held.isEmpty) }

    init(recipients: [String: RecipientForm]) {
        self.recipients = recipients
    }

    /// The number of outcomes and events whose marks wait or are being written.
    var count: Int { queue.count + held.count }

    mutating func add(_ mark: TokenMark, _ outcome: Outcome) { queue.add(.outcome(outcome, mark)) }

    mutating func add(_ event: DelayedEvent, entry: Int) { held.append(.held(event, entry: entry)) }

    /// Returns the next batch to write, or `nil` if a batch is being written or there are no marks.
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

    /// Handles the database's answer to a batch.
    ///
    /// - Returns: the outcomes and events that can be published now.
    mutating func written(_ id: UInt64) -> [Finding] {
        guard let findings = queue.answered(id) else { return [] }
        isDelayed = false
        return findings.compactMap(\.self)
    }

    /// Handles a batch that was not answered in time. Its statement continues, because marking a token twice is
    /// harmless.
    ///
    /// - Returns: the outcomes and events to move to delay queues.
    mutating func delayed(_ id: UInt64) -> [Finding] {
        guard queue.asks(id), !isDelayed else { return [] }
        isDelayed = true
        let (written, gathering) = queue.takeOut()
        defer { held = [] }
        return written + gathering + held
    }
}
