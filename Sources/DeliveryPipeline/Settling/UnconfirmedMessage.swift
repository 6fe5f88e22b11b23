import AMQPClient
import PushModel

/// A message that the broker has not confirmed.
struct UnconfirmedMessage {
    var publication: AMQPPublication
    /// The result event that the message publishes or delays, or `nil` for any other message.
    let event: DelayedEvent?
    /// The time at which the message was first published, or at which it replaced a refused message.
    let since: Timestamp
    /// Whether the message reports outcomes.
    var isOutcomes = false
    /// Whether the message is an original job or a chunk, and need not be published if the broker redelivers the job.
    /// The value is `false` for an `at_most_once` job whose name may be claimed, because its redelivery would end as
    /// `unknown`.
    var isMove = false
    /// The number of times that the broker refused the message.
    var refusals = 0
    /// Whether the broker refused the message, and the message waits in this worker to be published again.
    var waits = false
}
