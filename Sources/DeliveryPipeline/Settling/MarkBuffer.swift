package import CredentialStore

/// Dead tokens on their way into the database: one statement at a time, the rest gathers meanwhile.
package struct MarkBuffer {
    package struct Batch: Sendable {
        package let id: UInt64
        package let marks: [TokenMark]
    }

    /// So many are written without waiting for more.
    static let enoughMarks = 1_000

    private var marks: [TokenMark] = []
    private var shares: [SettlingLedger<InboundJob>.Share] = []
    private var isWriting = false

    /// There are marks and nothing keeps them from being written.
    var canBeWritten: Bool { !marks.isEmpty && !isWriting }
    /// There is no point in waiting for more.
    var isFull: Bool { marks.count >= Self.enoughMarks && !isWriting }

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
        guard canBeWritten else { return nil }
        isWriting = true
        defer {
            marks = []
            shares = []
        }
        return (Batch(id: id, marks: marks), shares)
    }

    mutating func written() { isWriting = false }
}
