import Pacing

/// How many batches a receiver has at a time, and how many recipients are in one. A value: no clock, no I/O.
///
/// | event | what changes |
/// |---|---|
/// | an answer within 2 s | 50 recipients more, or once there have been too many 1 more; one batch more at a time |
/// | an answer after more than 5 s | half as many recipients |
/// | no answer in time, 5xx | half as many recipients, one batch at a time, and a pause: 1 s, doubling to 60 s |
/// | 429, or 503 with Retry-After | one batch at a time, and a pause as long as it says, else the same |
/// | what becomes of a batch that was sent before the last pause began | nothing: it is of the same trouble |
///
/// No pause is longer than an hour, whatever the receiver says: then a batch finds out whether it is back.
package struct BatchPace {
    package static let quickMilliseconds: Int64 = 2_000
    package static let slowMilliseconds: Int64 = 5_000
    private static let longestPauseSeconds: Int32 = 3_600
    private static let firstRecipients = 100
    private static let moreRecipients = 50

    private let maximumBatches: Int
    private let maximumRecipients: Int
    /// At a time.
    package private(set) var batches: Int
    /// Of one batch.
    package private(set) var recipients: Int
    /// Beyond so many the next may be too many.
    private var threshold: Int
    private var pauses = Backoff(first: .seconds(1), longest: .seconds(60), jitter: 0.1)
    private var pausedSince = Int64.min
    private var pausedUntil = Int64.min

    package init(maximumBatches: Int, maximumRecipients: Int) {
        self.maximumBatches = maximumBatches
        self.maximumRecipients = maximumRecipients
        // The last one is for urgent recipients.
        batches = min(2, max(1, maximumBatches - 1))
        recipients = min(Self.firstRecipients, maximumRecipients)
        threshold = maximumRecipients
    }

    /// At a time, where the last is of urgent recipients: they do not wait behind others.
    package var urgentBatches: Int { min(maximumBatches, batches + 1) }

    /// The receiver has told what became of a batch.
    package mutating func answered(sentAt: Int64, nowMilliseconds now: Int64) {
        guard sentAt > pausedSince else { return }
        pauses.succeeded()
        if now - sentAt <= Self.quickMilliseconds {
            recipients = min(maximumRecipients, max(recipients + 1, min(threshold, recipients + Self.moreRecipients)))
            batches = min(max(1, maximumBatches - 1), batches + 1)
        } else if now - sentAt > Self.slowMilliseconds {
            shrink()
        }
    }

    /// Nobody knows what became of a batch.
    ///
    /// - Parameter random: a number from 0 up to 1.
    package mutating func failed(sentAt: Int64, nowMilliseconds now: Int64, random: Double) {
        guard sentAt > pausedSince else { return }
        shrink()
        pause(now, forMilliseconds: pauses.failed(random: random).wholeMilliseconds)
    }

    /// The receiver wants batches later.
    ///
    /// - Parameter seconds: as it says; nil: it does not.
    package mutating func busy(seconds: Int32?, sentAt: Int64, nowMilliseconds now: Int64, random: Double) {
        guard sentAt > pausedSince else { return }
        let wait = pauses.failed(random: random).wholeMilliseconds
        pause(now, forMilliseconds: seconds.map { Int64(min($0, Self.longestPauseSeconds)) * 1000 } ?? wait)
    }

    private mutating func shrink() {
        recipients = max(1, recipients / 2)
        threshold = recipients
    }

    private mutating func pause(_ now: Int64, forMilliseconds wait: Int64) {
        batches = 1
        pausedSince = now
        pausedUntil = now + wait
    }

    /// How long nothing is to be sent, in milliseconds; 0: something may.
    package func pause(nowMilliseconds now: Int64) -> Int64 { max(0, pausedUntil == .min ? 0 : pausedUntil - now) }
}
