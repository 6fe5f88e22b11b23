import AMQPClient
import PushModel

/// A message without a confirm.
struct UnconfirmedMessage {
    var publication: AMQPPublication
    /// The event that it is, or that waits in it.
    let event: HeldEvent?
    /// When it was published first.
    let since: Timestamp
    /// It tells of outcomes.
    var isOutcomes = false
    /// A job as it came, or a chunk: until the broker takes it, the broker has the job where it came from.
    var isMove = false
    /// How often the broker would not take it.
    var refusals = 0
    /// It is offered again later; until then the broker has certainly no copy.
    var waits = false
}
