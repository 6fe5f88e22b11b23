/// What `queue.declare-ok` says.
struct DeclaredQueue {
    let name: String
    /// Those that wait, not those at a consumer.
    let messages: Int
    let consumers: Int
}
