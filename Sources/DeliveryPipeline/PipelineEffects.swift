package import AMQPClient
package import CredentialStore
package import PushModel

/// What the core needs done outside: everything that does I/O.
package struct PipelineEffects: Sendable {
    let publish: @Sendable ([AMQPPublication]) -> Void
    let acknowledge: @Sendable ([AMQPAcknowledgement]) -> Void
    /// Gives undecoded deliveries back to their queue.
    let giveBack: @Sendable ([AMQPDeliveryTag]) -> Void
    /// Commits marks and calls ``PipelineCore/marksWritten(_:count:)``.
    let write: @Sendable (MarkBuffer.Batch) -> Void
    /// Asks which tokens are dead and calls ``PipelineCore/lookedUp(_:deaths:)``.
    let lookUp: @Sendable (SuspectBuffer.LookUp) -> Void
    /// Runs something on the core's queue after so many milliseconds.
    let wait: @Sendable (_ milliseconds: Int, _ work: @escaping @Sendable () -> Void) -> Void
    let snapshot: @Sendable () -> Snapshot
    let now: @Sendable () -> Timestamp

    package init(
        publish: @escaping @Sendable ([AMQPPublication]) -> Void,
        acknowledge: @escaping @Sendable ([AMQPAcknowledgement]) -> Void,
        giveBack: @escaping @Sendable ([AMQPDeliveryTag]) -> Void,
        write: @escaping @Sendable (MarkBuffer.Batch) -> Void,
        lookUp: @escaping @Sendable (SuspectBuffer.LookUp) -> Void,
        wait: @escaping @Sendable (_ milliseconds: Int, _ work: @escaping @Sendable () -> Void) -> Void,
        snapshot: @escaping @Sendable () -> Snapshot, now: @escaping @Sendable () -> Timestamp
    ) {
        self.publish = publish
        self.acknowledge = acknowledge
        self.giveBack = giveBack
        self.write = write
        self.lookUp = lookUp
        self.wait = wait
        self.snapshot = snapshot
        self.now = now
    }
}
