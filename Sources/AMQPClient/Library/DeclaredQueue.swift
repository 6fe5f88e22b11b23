/// The content of a `queue.declare-ok`.
struct DeclaredQueue {
    let name: String
    /// The number of messages that are ready for delivery. Unacknowledged messages are not counted.
    let messages: Int
    let consumers: Int
}
