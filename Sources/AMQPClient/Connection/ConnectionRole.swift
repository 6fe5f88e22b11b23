/// The work of a connection, which is either consuming or publishing. All calls are made on the connection's thread.
protocol ConnectionRole: AnyObject, SendableMetatype {
    associatedtype Command: Sendable

    /// Handles commands from other threads. The connection may be open or not.
    func perform(_ commands: [Command])
    /// Sets up channels on a connection that has logged in.
    func opened(_ link: BrokerLink) throws(AMQPError)
    func received(_ inbound: Inbound, _ link: BrokerLink) throws(AMQPError)
    /// Whether the loop may read now. The loop checks this before each message.
    var wantsInput: Bool { get }
    /// Makes ``wantsInput`` true until a limited amount of data has been read. The loop calls this if nothing was read
    /// for ``AMQPConfiguration/longestPause``.
    func mustReadOn()
    /// Reports the pending events in batches. The loop calls this after it has read the available data.
    func inputDrained()
    /// Writes a limited part of the pending data. Returns whether the loop must call this again when the socket has
    /// room, because more data is pending.
    func write(to link: BrokerLink) throws(AMQPError) -> Bool
    /// Handles a lost connection or a failed attempt to connect.
    func disconnected(_ error: AMQPError)
    /// Handles a request to close. The connection may be closed once ``isFinished`` is true.
    func closeRequested()
    /// Whether all work that a graceful close waits for is done.
    var isFinished: Bool { get }
    /// The time until which a graceful close waits although ``isFinished`` is true, or `nil` to close at once.
    var staysUntil: ContinuousClock.Instant? { get }
    /// Whether a new connection would have work to do. The loop checks this while it connects or waits to reconnect.
    var isConnectionWanted: Bool { get }
    /// Handles the end of a connection after a close request. The error is set if the broker did not answer the close.
    func left(_ error: AMQPError?)
    /// Handles the end of the thread, with the error that ended it or `nil`. This is the last call.
    func ended(_ error: AMQPError?)
}
