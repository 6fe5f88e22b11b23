/// The purpose of a connection: consuming or publishing. All calls are made on the connection's thread.
protocol ConnectionRole: AnyObject, SendableMetatype {
    associatedtype Command: Sendable

    /// Handles commands from other threads. The connection may be open or not.
    func perform(_ commands: [Command])
    /// Sets up channels on a connection that has logged in.
    func opened(_ link: BrokerLink) throws(AMQPError)
    func received(_ inbound: Inbound, _ link: BrokerLink) throws(AMQPError)
    /// Whether the loop may read now. The loop checks this again after each command.
    var wantsInput: Bool { get }
    /// Makes ``wantsInput`` true for a limited amount of data, because nothing was read for too long.
    func mustReadOn()
    /// Handles the end of the data that had arrived. Events are reported in batches here.
    func inputDrained()
    /// Writes a limited part of the pending data. Returns whether data is waiting for room in the socket.
    func write(to link: BrokerLink) throws(AMQPError) -> Bool
    /// Handles a lost connection or a failed attempt to connect.
    func disconnected(_ error: AMQPError)
    /// Handles a request to close. The connection may be closed once ``isFinished`` is true.
    func closeRequested()
    /// Whether the work that a graceful close waits for is done.
    var isFinished: Bool { get }
    /// The time until which a graceful close waits even if ``isFinished`` is true.
    var staysUntil: ContinuousClock.Instant? { get }
    /// Whether a new connection would have work to do. The loop checks this after a close request or a lost connection.
    var isConnectionWanted: Bool { get }
    /// Handles the requested close of the connection. The error is set if the broker did not answer the close.
    func left(_ error: AMQPError?)
    /// Handles the end of the thread. This is the last call.
    func ended(_ error: AMQPError?)
}
