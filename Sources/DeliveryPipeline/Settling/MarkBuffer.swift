import CredentialStore

/// Dead tokens on their way into the database: one statement at a time, the rest gathers meanwhile.
struct MarkBuffer {
    struct Batch: Sendable {
        let id: UInt64
        let marks: [TokenMark]
    }

    static let maximumMarks = 1_000

    private var marks: [TokenMark] = []
    private var shares: [SettlingLedger<InboundJob>.Share] = []
    private var isWriting = false

    var isEmpty: Bool { marks.isEmpty }
    /// A batch is full and nothing keeps it from being written.
    var isFull: Bool { marks.count >= Self.maximumMarks && !isWriting }

    mutating func add(_ mark: TokenMark, ledgerID: Int) {
        marks.append(mark)
        if shares.last?.entry == ledgerID {
            shares[shares.count - 1].count += 1
        } else {
            shares.append(.init(entry: ledgerID, count: 1))
        }
    }

    /// What to write next, unless something is being written or there is nothing.
    mutating func next(id: UInt64) -> (Batch, [SettlingLedger<InboundJob>.Share])? {
        guard !isWriting, !marks.isEmpty else { return nil }
        isWriting = true
        defer {
            marks = []
            shares = []
        }
        return (Batch(id: id, marks: marks), shares)
    }

    mutating func written() { isWriting = false }
}
