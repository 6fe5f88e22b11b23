import AMQPClient
import PushModel

/// A message that the broker has not confirmed.
struct UnconfirmedMessage {
    var publication: AMQPPublication
    /// The event that the message is, or that waits in it.
    let event: HeldEvent?
    /// The time at which the message was first published.
    let since: Timestamp
    /// Whether the message reports outcomes.
    var isOutcomes = false
    /// Whether the message is an original job or a chunk. Until the broker accepts the message, it keeps the job.
    var isMove = false
    /// The number of times that the broker refused the message.
    var refusals = 0
    /// Whether the message will be published again later. Until then, the broker certainly has no copy.
    var waits = false
}
