import Foundations

/// The limits on concurrent batches to a receiver and on recipients in a batch. A value type without clock or I/O.
///
/// | event | effect |
/// |---|---|
/// | an answer within 1 s, with at least half of the allowed batches in use | one more batch at a time |
/// | an answer within 2 s | 50 more recipients, or 1 more once their number was halved |
/// | an answer after more than 5 s | half the recipients and half the batches |
/// | no answer in time or 5xx, with another answer meanwhile or in the last 5 s | an eighth fewer batches |
/// | no answer in time or 5xx, without another answer | half the recipients, one batch, a pause of 1 to 60 s |
/// | 421, 425, 429, or 503 with `Retry-After` | one batch at a time, a pause as requested or of 1 to 60 s |
/// | ten batches in a row refused because of their contents | one batch at a time |
/// | an answer or failure of a batch that was sent before the last pause began | none, because the cause is the same |
/// | a refusal of a batch that was sent before the last pause or reduction | none, because the cause is the same |
///
/// The failures of one app's batches have no effect while the receiver answers other apps' batches.
///
/// A pause doubles with each failure. It lasts at most an hour, even if the receiver requests a longer one. One batch
/// at a time is sent after the pause.
package struct BatchConcurrency {
    package static let promptMilliseconds: Int64 = 1_000
    package static let quickMilliseconds: Int64 = 2_000
    package static let slowMilliseconds: Int64 = 5_000
    package static let longestPauseSeconds: Int32 = 3_600
    /// The time after an answer during which a failure is attributed to its batch and not to the receiver, in
    /// milliseconds.
    private static let provenMilliseconds: Int64 = 5_000
    private static let firstBatches = 2
    private static let firstRecipients = 100
    private static let moreRecipients = 50
    private static let toleratedRefusals = 10

    private let maximumBatches: Int
    private let maximumRecipients: Int
    /// The maximum number of batches on the wire, without the one reserved for urgent recipients.
    package private(set) var batches: Int
    /// The maximum number of recipients in one batch.
    package private(set) var recipients: Int
    /// The number of recipients up to which a batch grows in large steps. It is set to the new value of ``recipients``
    /// whenever that is halved.
    private var threshold: Int
    private var pauses = Backoff(first: .seconds(1), longest: .seconds(60), jitter: 0.1)
    private var pausedSince = Int64.min
    private var pausedUntil = Int64.min
    /// The uptime in milliseconds at which a slow answer, a single failure or refusals last reduced ``batches``. Later
    /// results of batches that were sent before this time reduce it no further, because they have the same cause.
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

    /// The maximum number of batches on the wire, including one that is reserved for urgent recipients, so that they do
    /// not wait for batches of other lanes. If ``maximumBatches`` is 1, none is reserved.
    package var urgentBatches: Int { min(maximumBatches, batches + 1) }

    /// Records that the receiver has reported the outcomes of a batch.
    ///
    /// - Parameter inFlight: the number of batches at the receiver, including the answered one.
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
    /// - Parameter random: a random number from 0 up to 1, for the jitter of the pause.
    package mutating func failed(sentAt: Int64, nowMilliseconds now: Int64, random: Double) {
        guard sentAt > pausedSince else { return }
        guard answeredAt <= sentAt, answeredAt < now - Self.provenMilliseconds else {
            if shrinks(sentAt, now) { batches -= batches > 1 ? max(1, batches / 8) : 0 }
            return
        }
        halveRecipients()
        pause(now, forMilliseconds: pauses.failed(random: random).wholeMilliseconds)
    }

    /// Records that the receiver refused a batch because of its contents.
    package mutating func refused(sentAt: Int64, nowMilliseconds now: Int64) {
        guard sentAt > pausedSince, sentAt > shrunkAt else { return }
        refusedInARow += 1
        guard refusedInARow >= Self.toleratedRefusals, batches > 1 else { return }
        batches = 1
        shrunkAt = now
    }

    /// Records that the receiver asked for the batch to be sent later.
    ///
    /// - Parameter seconds: the requested delay, or `nil` if the receiver requests none.
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

    /// Returns the remaining time of the pause in milliseconds, or 0 if there is no pause.
    package func pause(nowMilliseconds now: Int64) -> Int64 { max(0, pausedUntil == .min ? 0 : pausedUntil - now) }
}
