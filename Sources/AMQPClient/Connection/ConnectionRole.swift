/// What one connection is for: consuming or publishing. All calls come on the connection's thread.
protocol ConnectionRole: AnyObject, SendableMetatype {
    associatedtype Command: Sendable

    /// Work handed over by other threads, connected or not.
    func perform(_ commands: [Command])
    /// Sets up channels on a connection that has logged in.
    func opened(_ link: BrokerLink) throws(AMQPError)
    func received(_ inbound: Inbound, _ link: BrokerLink) throws(AMQPError)
    /// Whether anything may be read now. A command makes the loop ask again.
    var wantsInput: Bool { get }
    /// Nothing was read for too long: has a bounded part be wanted all the same.
    func mustReadOn()
    /// Everything that had arrived was handed over: the moment to report in batches.
    func inputDrained()
    /// Writes a bounded part of what is due. Returns whether something waits for the socket to take more.
    func write(to link: BrokerLink) throws(AMQPError) -> Bool
    /// The connection is gone, or could not be made.
    func disconnected(_ error: AMQPError)
    /// A close was asked for, and the connection may go once ``isFinished``.
    func closeRequested()
    /// Whether all that a polite close waits for is done.
    var isFinished: Bool { get }
    /// Until when a polite close waits although it is.
    var staysUntil: ContinuousClock.Instant? { get }
    /// Whether a new connection would be of use. Asked after a close was requested, or the connection was lost.
    var isConnectionWanted: Bool { get }
    /// The connection was closed as asked for. With an error when the broker has not answered that.
    func left(_ error: AMQPError?)
    /// The last call.
    func ended(_ error: AMQPError?)
}
