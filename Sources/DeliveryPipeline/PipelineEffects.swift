package import AMQPClient
package import PushModel
package import Store

/// What the core needs done outside: everything that does I/O.
package final class PipelineEffects: Sendable {
    let publish: @Sendable ([AMQPPublication]) -> Void
    let acknowledge: @Sendable ([AMQPAcknowledgement]) -> Void
    /// The broker is to dead-letter it.
    let reject: @Sendable (AMQPDeliveryTag) -> Void
    /// The broker is to hand out so many jobs of an overflow queue ahead.
    let setPrefetch: @Sendable (Int, JobQueue) -> Void
    /// A delivery is no longer held; before it is acknowledged.
    let release: @Sendable (AMQPDelivery) -> Void
    /// Commits marks and calls ``PipelineCore/marksWritten(_:count:)``.
    let write: @Sendable (MarkBuffer.Batch) -> Void
    /// Claims the names of jobs and of parts, and calls ``PipelineCore/claimed(_:_:)``.
    let claim: @Sendable (Claims.Batch) -> Void
    /// Asks which tokens are dead and calls ``PipelineCore/lookedUp(_:deaths:)``.
    let lookUp: @Sendable (LookUpBuffer.LookUp) -> Void
    /// Runs something on the core's queue after so many milliseconds.
    let wait: @Sendable (_ timer: PipelineTimer, _ milliseconds: Int, _ work: @escaping @Sendable () -> Void) -> Void
    let snapshot: @Sendable () -> Snapshot
    /// How many run, this one among them; nil: not known yet.
    let workers: @Sendable () -> Int?
    let now: @Sendable () -> Timestamp

    package init(
        publish: @escaping @Sendable ([AMQPPublication]) -> Void,
        acknowledge: @escaping @Sendable ([AMQPAcknowledgement]) -> Void,
        reject: @escaping @Sendable (AMQPDeliveryTag) -> Void,
        setPrefetch: @escaping @Sendable (Int, JobQueue) -> Void,
        release: @escaping @Sendable (AMQPDelivery) -> Void,
        write: @escaping @Sendable (MarkBuffer.Batch) -> Void,
        claim: @escaping @Sendable (Claims.Batch) -> Void,
        lookUp: @escaping @Sendable (LookUpBuffer.LookUp) -> Void,
        wait:
            @escaping @Sendable (_ timer: PipelineTimer, _ milliseconds: Int, _ work: @escaping @Sendable () -> Void) ->
            Void,
        snapshot: @escaping @Sendable () -> Snapshot, workers: @escaping @Sendable () -> Int? = { 1 },
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.publish = publish
        self.acknowledge = acknowledge
        self.reject = reject
        self.setPrefetch = setPrefetch
        self.release = release
        self.write = write
        self.claim = claim
        self.lookUp = lookUp
        self.wait = wait
        self.snapshot = snapshot
        self.workers = workers
        self.now = now
    }
}
