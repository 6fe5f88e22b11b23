import Pacing

/// The limits of concurrent batches at a receiver and of recipients in a batch. A value without clock or I/O.
///
/// | event | effect |
/// |---|---|
/// | an answer within 1 s, with half of the batches in use | one more batch at a time |
/// | an answer within 2 s | 50 more recipients, or 1 more once a batch was too large |
/// | an answer after more than 5 s | half the recipients and half the batches |
/// | no answer in time, 5xx, while other batches are answered | an eighth fewer batches |
/// | the same, without any answer since it was sent | half the recipients, one batch, a pause: 1 s, doubling to 60 s |
/// | 421, 425, 429, or 503 with `Retry-After` | one batch at a time, and a pause as requested, else as above |
/// | ten batches in a row refused because of their contents | one batch at a time |
/// | an answer to a batch that was sent before the last pause began | no change, because it has the same cause |
///
/// A pause lasts at most an hour, even if the receiver requests a longer one. After it, one batch tests the receiver.
package struct BatchPace {
    package static let promptMilliseconds: Int64 = 1_000
    package static let quickMilliseconds: Int64 = 2_000
    package static let slowMilliseconds: Int64 = 5_000
    package static let longestPauseSeconds: Int32 = 3_600
    private static let firstBatches = 2
    private static let firstRecipients = 100
    private static let moreRecipients = 50
    private static let toleratedRefusals = 10

    private let maximumBatches: Int
    private let maximumRecipients: Int
    /// The maximum number of batches at a time.
    package private(set) var batches: Int
    /// The maximum number of recipients in one batch.
    package private(set) var recipients: Int
    /// The number of recipients above which a batch may be too large.
    private var threshold: Int
    private var pauses = Backoff(first: .seconds(1), longest: .seconds(60), jitter: 0.1)
    private var pausedSince = Int64.min
    private var pausedUntil = Int64.min
    /// The time at which batches were last reduced. Failures of batches that were sent earlier have the same cause.
    private var shrunkAt = Int64.min
    private var answeredAt = Int64.min
    private var refusedInARow = 0

    package init(maximumBatches: Int, maximumRecipients: Int) {
        self.maximumBatches = maximumBatches
        self.maximumRecipients = maximumRecipients
        batches = min(Self.firstBatches, max(1, maximumBatches - 1))
        recipients = min(Self.firstRecipients, maximumRecipients)
        threshold = maximumRecipients
    }

    /// The maximum number of batches at a time, including one reserved for urgent recipients, which never wait behind
    /// others.
    package var urgentBatches: Int { min(maximumBatches, batches + 1) }

    /// Records that the receiver has reported the outcomes of a batch.
    ///
    /// - Parameter inFlight: The number of batches at the receiver, including this one.
    package mutating func answered(sentAt: Int64, inFlight: Int, nowMilliseconds now: Int64) {
        refusedInARow = 0
        guard sentAt > pausedSince else { return }
        answeredAt = now
        pauses.succeeded()
        let took = now - sentAt
        if took <= Self.promptMilliseconds, inFlight * 2 >= batches {
            batches = min(max(1, maximumBatches - 1), batches + 1)
        }
        if took <= Self.quickMilliseconds {
            recipients = min(maximumRecipients, max(recipients + 1, min(threshold, recipients + Self.moreRecipients)))
        } else if took > Self.slowMilliseconds, shrinks(sentAt, now) {
            halveRecipients()
            batches = max(1, batches / 2)
        }
    }

    /// Records that the outcome of a batch is unknown.
    ///
    /// - Parameter random: A number from 0 up to, but not including, 1.
    package mutating func failed(sentAt: Int64, nowMilliseconds now: Int64, random: Double) {
        guard sentAt > pausedSince else { return }
        guard answeredAt <= sentAt else {
            if shrinks(sentAt, now) { batches -= batches > 1 ? max(1, batches / 8) : 0 }
            return
        }
        halveRecipients()
        pause(now, forMilliseconds: pauses.failed(random: random).wholeMilliseconds)
    }

    /// Records that the receiver refused a batch because of its contents.
    package mutating func refused() {
        refusedInARow += 1
        if refusedInARow >= Self.toleratedRefusals { batches = 1 }
    }

    /// Records that the receiver wants batches later.
    ///
    /// - Parameter seconds: The requested wait, or `nil` if the receiver names none.
    package mutating func busy(seconds: Int32?, sentAt: Int64, nowMilliseconds now: Int64, random: Double) {
        guard sentAt > pausedSince else { return }
        let wait = pauses.failed(random: random).wholeMilliseconds
        pause(now, forMilliseconds: seconds.map { Int64(min($0, Self.longestPauseSeconds)) * 1000 } ?? wait)
    }

    private mutating func shrinks(_ sentAt: Int64, _ now: Int64) -> Bool {
        guard sentAt > shrunkAt else { return false }
        shrunkAt = now
        return true
    }

    private mutating func halveRecipients() {
        recipients = max(1, recipients / 2)
        threshold = recipients
    }

    private mutating func pause(_ now: Int64, forMilliseconds wait: Int64) {
        batches = 1
        pausedSince = now
        pausedUntil = now + wait
    }

    /// Returns how long nothing may be sent, in milliseconds, or 0 if there is no pause.
    package func pause(nowMilliseconds now: Int64) -> Int64 { max(0, pausedUntil == .min ? 0 : pausedUntil - now) }
}
