internal import CRabbitMQ
import DequeModule
import Glibc
import Foundations

/// An open connection of librabbitmq.
///
/// The library's state has a single owner (rabbitmq-c README, "Threading"). An instance is created, used and released
/// on one connection thread. Calls that write may block while the socket has no room, so callers check ``isWritable``
/// first. If a peer accepts no data for two heartbeat intervals, the kernel closes the connection (`TCP_USER_TIMEOUT`),
/// and the call fails.
final class BrokerLink {
    static let shortestFarewell = Duration.seconds(2)

    let state: amqp_connection_state_t
    let owner = OwningThread()
    /// The heartbeat interval that was agreed with the broker.
    private(set) var heartbeatInterval = Duration.seconds(60)
    let pool = FieldPool()
    private(set) var hasWritten = false
    /// The default time limit for an answer from the broker.
    let answerLimit: Duration

    /// The buffer for the frames that are read after the log-in.
    ///
    /// The library reads only during the log-in. It closes a connection if it can't decode a header, and any publisher
    /// could send such a header. Therefore ``FrameBuffer``, ``MessageAssembler`` and their helpers read everything
    /// after the log-in.
    private(set) var frames = FrameBuffer(maximumFrameSize: 0, capacity: 0)
    /// The assemblers of the open channels, by channel number.
    var assemblers: [MessageAssembler] = []
    /// Input that arrived while the log-in or a call waited for its answer. ``receive()`` returns it first.
    var kept = Deque<Inbound>()
    let methods = MethodDecoder()
    /// Whether the broker writes the header `x-acquired-count`, as RabbitMQ does since 4.3. In older versions, only a
    /// publisher can have written it.
    private(set) var countsAcquisitions = false
    /// The observer of the TLS session, or `nil` for plain TCP.
    let tls: TLSObserver?

    var session: OpaquePointer? { tls?.session }

    init(answerLimit: Duration, tls: TLSObserver?) throws(AMQPError) {
        guard let state = amqp_new_connection() else { throw AMQPError(.connectionFailed, "out of memory") }
        self.tls = tls
        self.state = state
        self.answerLimit = answerLimit
    }

    /// Takes the connection over from the library after the log-in.
    func takeOver() throws(AMQPError) {
        try takeWhatTheLibraryHasRead()
        countsAcquisitions =
            BrokerVersion(serverProperty("version")).map { $0 >= BrokerVersion(major: 4, minor: 3) } ?? false
        frames = FrameBuffer()
        let seconds = amqp_get_heartbeat(state)
        heartbeatInterval = .seconds(seconds > 0 ? Int(seconds) : 60)
        // A heartbeat of 0 turns off librabbitmq's own heartbeats. `HeartbeatTimer` decides when to send one.
        let status = amqp_tune_connection(state, amqp_get_channel_max(state), amqp_get_frame_max(state), 0)
        guard status == AMQP_STATUS_OK.rawValue else { throw AMQPError(library: status, while: "Tuning") }
        let deadSilence = heartbeatInterval * 2
        setOption(level: Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(clamping: deadSilence.components.seconds * 1000))
    }

    deinit {
        owner.preconditionIsCurrent()
        amqp_destroy_connection(state)
    }

    /// Returns a property that the broker sent about itself, or an empty string if it sent none.
    func serverProperty(_ name: String) -> String {
        guard let properties = amqp_get_server_properties(state)?.pointee else { return "" }
        let entries = UnsafeBufferPointer(start: properties.entries, count: Int(properties.num_entries))
        let property = entries.first { $0.key.string == name }?.value
        guard let property, UInt32(property.kind) == AMQP_FIELD_KIND_UTF8.rawValue else { return "" }
        return property.value.bytes.string
    }

    /// The broker's product and version as it reports them, such as `RabbitMQ 4.1.2`.
    var product: String { [serverProperty("product"), serverProperty("version")].joined(separator: " ") }

    var socket: Int32 { amqp_get_sockfd(state) }

    /// Whether ``receive()`` can proceed with data that was already read from the socket. Such data must be received
    /// before waiting on the socket again.
    var hasBufferedInput: Bool { !kept.isEmpty || frames.hasFrame || crabbitmq_pending(session) > 0 }

    /// Whether the socket has room for data. Callers check this before each chunk of writes. If the socket is full, the
    /// loop waits for room in ``WakeUp``, where it also receives input and commands.
    var isWritable: Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }

    /// Returns whether anything has been written since the last call.
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
        try check(amqp_send_frame(state, &frame), "sending a heartbeat")
    }

    /// Lets the kernel combine small writes into full packets while `body` runs. The library calls `send` for each
    /// frame, and announces further data to the kernel only within one message.
    func gatheringWrites(_ body: () throws(AMQPError) -> Void) throws(AMQPError) {
        setOption(level: Int32(IPPROTO_TCP), TCP_CORK, 1)
        defer { setOption(level: Int32(IPPROTO_TCP), TCP_CORK, 0) }
        try body()
    }

    /// Closes the connection and waits for the broker's answer. The connection ends even if no answer arrives.
    ///
    /// - Returns: the error if no answer arrived, otherwise `nil`. After an error, earlier writes may not have reached
    ///   the broker.
    @discardableResult
    func close(within limit: Duration = shortestFarewell) -> AMQPError? {
        let close = amqp_connection_close_t(
            reply_code: UInt16(AMQP_REPLY_SUCCESS), reply_text: amqp_bytes_t(), class_id: 0, method_id: 0)
        do throws(AMQPError) {
            try call(
                CRABBITMQ_CONNECTION_CLOSE, close, channel: 0, within: limit, keeping: false, "closing the connection")
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
