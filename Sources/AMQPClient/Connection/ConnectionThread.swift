import Glibc
import Logging
import Foundations

/// A connection that runs on its own thread, which waits, reads, writes and reconnects. Other threads use this class.
/// ``ConnectionLoop`` is the code that the thread runs.
final class ConnectionThread<Role: ConnectionRole>: Sendable {
    private struct Inbox {
        var commands: [Role.Command] = []
        var closeDeadline: ContinuousClock.Instant?
        /// A duplicate of the open socket's descriptor, or `nil` without a connection. Another thread uses it to shut
        /// the socket down.
        var socket: Int32?
        var hasStarted = false
        /// Whether commands are rejected, because the thread is about to end or has ended.
        var hasEnded = false
        /// Whether the thread has ended and has made its last call to the role.
        var isOver = false
        var endWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let inbox = Mutex(Inbox())
    let wakeUp: WakeUp

    init() throws(AMQPError) {
        wakeUp = try WakeUp()
    }

    /// Starts the thread. Returns `false` if the thread was started or closed before.
    func start(
        name: String, configuration: AMQPConfiguration, mustConnectAtOnce: Bool, logger: Logger,
        makeRole: @escaping @Sendable () -> Role
    ) -> Bool {
        let isFirst = inbox.withLock { inbox in
            defer { inbox.hasStarted = true }
            return !inbox.hasStarted
        }
        guard isFirst else { return false }
        do throws(AMQPError) {
            try startThread(name: name) {
                var loop = ConnectionLoop(
                    shared: self, role: makeRole(), configuration: configuration,
                    mustConnectAtOnce: mustConnectAtOnce, logger: logger)
                loop.run()
            }
        } catch {
            let role = makeRole()
            role.perform(ending())
            role.ended(error)
            ended()
        }
        return true
    }

    /// Sends a command to the thread. Returns `false` if the thread has ended. Only the first command of a batch
    /// signals the thread.
    func send(_ command: Role.Command) -> Bool {
        let (isTaken, mustWake) = inbox.withLock { inbox in
            if inbox.hasEnded { return (false, false) }
            defer { inbox.commands.append(command) }
            return (true, inbox.commands.isEmpty)
        }
        if mustWake { wakeUp.signal() }
        return isTaken
    }

    /// Asks the thread to finish by `deadline`. If there are several requests, the earliest deadline applies.
    func requestClose(by deadline: ContinuousClock.Instant) {
        inbox.withLock { $0.closeDeadline = min($0.closeDeadline ?? deadline, deadline) }
        wakeUp.signal()
    }

    /// Asks the thread to finish, and waits until it has ended. If it has not ended three seconds after the deadline,
    /// its socket is shut down, which ends a blocked write.
    ///
    /// - Returns: the pending commands if the thread was never started, otherwise an empty array. The returned commands
    ///   were not carried out.
    func close(by deadline: ContinuousClock.Instant) async -> [Role.Command] {
        let neverTaken: [Role.Command]? = inbox.withLock { inbox in
            if inbox.hasStarted { return nil }
            // After this, the thread can't be started.
            inbox.hasStarted = true
            inbox.hasEnded = true
            inbox.isOver = true
            return Self.take(&inbox.commands)
        }
        if let neverTaken { return neverTaken }
        requestClose(by: deadline)
        let cutOff = Task {
            try await Task.sleep(until: deadline + .seconds(3), clock: .continuous)
            inbox.withLock { inbox in
                if let socket = inbox.socket { _ = shutdown(socket, Int32(SHUT_RDWR)) }
            }
        }
        await withCheckedContinuation { continuation in
            let hasEnded = inbox.withLock { inbox in
                if !inbox.isOver { inbox.endWaiters.append(continuation) }
                return inbox.isOver
            }
            if hasEnded { continuation.resume() }
        }
        cutOff.cancel()
        return []
    }

    private static func take(_ commands: inout [Role.Command]) -> [Role.Command] {
        defer { commands = [] }
        return commands
    }

    // MARK: Calls by the thread

    func takeCommands() -> [Role.Command] {
        inbox.withLock { Self.take(&$0.commands) }
    }

    var closeDeadline: ContinuousClock.Instant? { inbox.withLock { $0.closeDeadline } }

    func socketOpened(_ socket: Int32) {
        inbox.withLock { $0.socket = dup(socket) }
    }

    func socketClosed() {
        inbox.withLock { inbox in
            if let socket = inbox.socket.take() { _ = Glibc.close(socket) }
        }
    }

    /// Rejects commands from now on. Returns the commands that the thread has not taken yet.
    func ending() -> [Role.Command] {
        inbox.withLock { inbox in
            inbox.hasEnded = true
            return Self.take(&inbox.commands)
        }
    }

    func ended() {
        let waiters = inbox.withLock { inbox in
            inbox.isOver = true
            return inbox.endWaiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
