internal import CRabbitMQ
import DequeModule
import Glibc
import Threading

/// One open connection of librabbitmq.
///
/// Thread rule: the library's state has a single owner (rabbitmq-c README, "Threading"); an instance is made, used and
/// released on one connection thread. Its calls may block while the socket takes no more data; ``isWritable`` says
/// beforehand whether it does, and a peer that takes nothing for two heartbeats is cut off by the kernel
/// (`TCP_USER_TIMEOUT`), which ends the call with an error.
final class BrokerLink {
    static let shortestFarewell = Duration.seconds(2)

    let state: amqp_connection_state_t
    let owner = OwningThread()
    /// Agreed with the broker.
    private(set) var heartbeatInterval = Duration.seconds(60)
    let pool = FieldPool()
    private(set) var hasWritten = false
    /// How long each answer may take that is awaited.
    let answerLimit: Duration

    /// The library reads for the log-in only. It gives up a connection over headers that it won't decode, and whoever may
    /// publish may send such: what comes afterwards is read by ``FrameBuffer``, ``MessageAssembler`` and what they use.
    private(set) var frames = FrameBuffer(maximumFrameSize: 0, capacity: 0)
    /// By channel number, those that are open.
    var assemblers: [MessageAssembler] = []
    /// Came while an answer was awaited.
    var kept = Deque<Inbound>()
    let methods = MethodDecoder()
    /// Whether the broker writes the header `x-acquired-count`: from RabbitMQ 4.3 on. Before, only a publisher can have.
    private(set) var countsAcquisitions = false
    /// nil for plain TCP.
    let tls: TLSWatch?

    var session: OpaquePointer? { tls?.session }

    init(answerLimit: Duration, tls: TLSWatch?) throws(AMQPError) {
        guard let state = amqp_new_connection() else { throw AMQPError(.connectionFailed, "Out of memory") }
        self.tls = tls
        self.state = state
        self.answerLimit = answerLimit
    }

    /// The log-in is done.
    func takeOver() throws(AMQPError) {
        try takeWhatTheLibraryHasRead()
        countsAcquisitions =
            BrokerVersion(serverProperty("version")).map { $0 >= BrokerVersion(major: 4, minor: 3) } ?? false
        frames = FrameBuffer()
        let seconds = amqp_get_heartbeat(state)
        heartbeatInterval = .seconds(seconds > 0 ? Int(seconds) : 60)
        // Heartbeats are ours from here on (see HeartbeatTimer).
        let status = amqp_tune_connection(state, amqp_get_channel_max(state), amqp_get_frame_max(state), 0)
        guard status == AMQP_STATUS_OK.rawValue else { throw AMQPError(library: status, while: "Tuning") }
        let deadSilence = heartbeatInterval * 2
        setOption(level: Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(clamping: deadSilence.components.seconds * 1000))
    }

    deinit {
        owner.preconditionIsCurrent()
        amqp_destroy_connection(state)
    }

    /// As the broker introduced itself; empty where it does not say.
    func serverProperty(_ name: String) -> String {
        guard let properties = amqp_get_server_properties(state)?.pointee else { return "" }
        let entries = UnsafeBufferPointer(start: properties.entries, count: Int(properties.num_entries))
        let property = entries.first { $0.key.string == name }?.value
        guard let property, UInt32(property.kind) == AMQP_FIELD_KIND_UTF8.rawValue else { return "" }
        return property.value.bytes.string
    }

    /// `RabbitMQ 4.1.2`, as it says itself.
    var product: String { [serverProperty("product"), serverProperty("version")].joined(separator: " ") }

    var socket: Int32 { amqp_get_sockfd(state) }

    /// Data that was read from the socket but not handed out: to be taken before waiting on the socket again.
    var hasBufferedInput: Bool { !kept.isEmpty || frames.hasFrame || crabbitmq_pending(session) > 0 }

    /// Whether the socket takes data now. Asked once per chunk of writes, so a full socket makes the thread wait where
    /// it also hears the broker and its callers.
    var isWritable: Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }

    /// Whether anything was written since the last call.
    func takeHasWritten() -> Bool {
        defer { hasWritten = false }
        return hasWritten
    }

    func check(_ status: Int32, _ attempt: @autoclosure () -> String) throws(AMQPError) {
        owner.preconditionIsCurrent()
        hasWritten = true
        guard status == AMQP_STATUS_OK.rawValue else { throw AMQPError(library: status, while: attempt()) }
    }

    func sendHeartbeat() throws(AMQPError) {
        var frame = amqp_frame_t()
        frame.frame_type = UInt8(AMQP_FRAME_HEARTBEAT)
        try check(amqp_send_frame(state, &frame), "Sending a heartbeat")
    }

    /// Lets the kernel gather small writes into full packets while `body` runs: the library makes one `send` per frame,
    /// and only within one message tells the kernel that more is coming.
    func gatheringWrites(_ body: () throws(AMQPError) -> Void) throws(AMQPError) {
        setOption(level: Int32(IPPROTO_TCP), TCP_CORK, 1)
        defer { setOption(level: Int32(IPPROTO_TCP), TCP_CORK, 0) }
        try body()
    }

    /// Says good-bye and waits for the answer; whatever comes of it, the connection is over.
    ///
    /// - Returns: why there was none: what was written before may not have arrived.
    @discardableResult
    func close(within limit: Duration = shortestFarewell) -> AMQPError? {
        let close = amqp_connection_close_t(
            reply_code: UInt16(AMQP_REPLY_SUCCESS), reply_text: amqp_bytes_t(), class_id: 0, method_id: 0)
        do throws(AMQPError) {
            try call(
                CRABBITMQ_CONNECTION_CLOSE, close, channel: 0, within: limit, keeping: false, "Closing the connection")
            return nil
        } catch {
            return error
        }
    }

    private func setOption(level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        _ = setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
