package import PushModel

/// The progress of a running outcome ledger: the numbers of stored events and outcomes, and the obstacle that prevents
/// storing more. A value type without clock or I/O.
package struct LedgerProgress: Sendable, Hashable {
    /// The counts of a batch of result events whose outcomes are stored in one transaction.
    package struct Batch: Sendable, Hashable {
        package var events = 0
        /// The number of messages that were dropped because they are malformed.
        package var unusable = 0
        package var outcomes = 0

        package init(events: Int, unusable: Int = 0, outcomes: Int = 0) {
            (self.events, self.unusable, self.outcomes) = (events, unusable, outcomes)
        }
    }

    /// The duration, in milliseconds, after which a statement that is still running counts as an obstacle to storing.
    package static let patience: Int64 = 10_000

    /// The reason that `/ready` gives while the ledger waits for the database. A worker gives the same reason.
    package static let waitsForDatabase = "waiting for the database"

    package private(set) var isConsuming = false
    package private(set) var eventsStored = 0
    package private(set) var eventsUnusable = 0
    package private(set) var outcomesStored = 0
    package private(set) var batchesStored = 0
    /// The number of statements that failed while events were waiting. One batch may fail several times.
    package private(set) var batchesFailed = 0
    /// The time at which the last batch was stored, or `nil` if none has been stored since the start.
    package private(set) var lastBatchAt: Timestamp?

    /// The reason why the ledger does not consume events yet, or `nil` after it has started to consume.
    private var waitsFor: String? = "starting"
    /// The time since which the ledger has not consumed events, or `nil` while it consumes them.
    private var idleSince: Timestamp?
    private var brokerError: String?
    private var hasWritten = false
    private var databaseError: String?
    /// The start time of the statement that is running, or `nil` if no statement is running.
    private var statementBeganAt: Timestamp?

    package init(startedAt: Timestamp) { idleSince = startedAt }

    // MARK: Changes

    /// Records an error that delays the start. The error is ignored after the ledger has started to consume.
    package mutating func cannotBegin(_ error: String) {
        if waitsFor != nil { waitsFor = "\(Self.waitsForDatabase): \(error)" }
    }

    package mutating func begins() { waitsFor = nil }

    package mutating func connected() {
        (isConsuming, idleSince, brokerError) = (true, nil, nil)
    }

    package mutating func disconnected(_ error: String?, at now: Timestamp) {
        if isConsuming { idleSince = now }
        isConsuming = false
        brokerError = error ?? brokerError
    }

    package mutating func statementBegan(at now: Timestamp) { statementBeganAt = now }

    package mutating func statementSucceeded() {
        (hasWritten, databaseError, statementBeganAt) = (true, nil, nil)
    }

    package mutating func statementFailed(_ error: String) {
        (databaseError, statementBeganAt) = (error, nil)
    }

    package mutating func batchFailed() { batchesFailed += 1 }

    package mutating func stored(_ batch: Batch, at now: Timestamp) {
        eventsStored += batch.events
        eventsUnusable += batch.unusable
        outcomesStored += batch.outcomes
        batchesStored += 1
        lastBatchAt = now
    }

    // MARK: State

    /// Returns whether the last statement succeeded and no statement has been running for ``patience`` or longer.
    package func isStoring(at now: Timestamp) -> Bool {
        hasWritten && databaseError == nil && statementMilliseconds(at: now) < Self.patience
    }

    /// Returns the obstacle that prevents the ledger from storing outcomes, or `nil` if it consumes events and its
    /// database accepts writes.
    package func obstacle(at now: Timestamp) -> String? {
        if let waitsFor { return waitsFor }
        let isStoring = isStoring(at: now)
        guard !isConsuming || !isStoring else { return nil }
        var errors: [String] = []
        if !isConsuming { errors += brokerError.map { [$0] } ?? [] }
        if let databaseError {
            errors.append(databaseError)
        } else if statementMilliseconds(at: now) >= Self.patience {
            errors.append("the database has not answered for \(statementMilliseconds(at: now) / 1_000) s")
        }
        return (["consuming: \(isConsuming), storing: \(isStoring)"] + errors).joined(separator: ": ")
    }

    /// Returns the lag of the ledger behind the workers, in milliseconds. The lag is the age of the oldest event in the
    /// inbox, or the time for which the ledger has not consumed events, whichever is longer.
    ///
    /// - Parameter oldest: the time of the oldest event in the inbox, or `nil` if the inbox is empty.
    package func lag(oldest: Timestamp?, at now: Timestamp) -> Int {
        let begins = [oldest, idleSince].compactMap(\.self)
        return begins.map { max(0, Int(now.milliseconds - $0.milliseconds)) }.max() ?? 0
    }

    private func statementMilliseconds(at now: Timestamp) -> Int64 {
        statementBeganAt.map { now.milliseconds - $0.milliseconds } ?? 0
    }
}
