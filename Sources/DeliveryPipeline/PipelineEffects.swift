package import AMQPClient
package import Contract
package import PushModel
import Store
package import Routing

/// The closures that the core calls for all I/O, and for the clock and the snapshot.
package final class PipelineEffects: Sendable {
    let publish: @Sendable ([AMQPPublication]) -> Void
    let acknowledge: @Sendable ([AMQPAcknowledgement]) -> Void
    /// Rejects a delivery, so that the broker dead-letters it.
    let reject: @Sendable (AMQPDeliveryTag) -> Void
    /// Sets the prefetch of a waiting queue.
    let setPrefetch: @Sendable (Int, JobQueue) -> Void
    /// Sets the priority of this worker's consumers, except for the suspects.
    let setPriority: @Sendable (Int32) -> Void
    /// Releases the bytes of a delivery. The core calls it before it acknowledges the delivery.
    let release: @Sendable (AMQPDelivery) -> Void
    /// Commits the marks of dead tokens, and then calls ``PipelineCore/marksWritten(_:count:)``.
    let write: @Sendable (MarkBuffer.Batch) -> Void
    /// Claims the names of jobs and parts, and then calls ``PipelineCore/claimed(_:_:)``.
    let claim: @Sendable (Claims.Batch) -> Void
    /// Looks up which tokens are dead, and then calls ``PipelineCore/lookedUp(_:deaths:)``.
    let lookUp: @Sendable (LookupBuffer.Lookup) -> Void
    /// Runs a closure on the core's queue after a delay in milliseconds.
    let wait: @Sendable (_ timer: PipelineTimer, _ milliseconds: Int, _ work: @escaping @Sendable () -> Void) -> Void
    let snapshot: @Sendable () -> Snapshot
    /// Returns the number of running workers, including this one, or `nil` while it is unknown.
    let workers: @Sendable () -> Int?
    let now: @Sendable () -> Timestamp

    package init(
        publish: @escaping @Sendable ([AMQPPublication]) -> Void,
        acknowledge: @escaping @Sendable ([AMQPAcknowledgement]) -> Void,
        reject: @escaping @Sendable (AMQPDeliveryTag) -> Void,
        setPrefetch: @escaping @Sendable (Int, JobQueue) -> Void,
        setPriority: @escaping @Sendable (Int32) -> Void,
        release: @escaping @Sendable (AMQPDelivery) -> Void,
        write: @escaping @Sendable (MarkBuffer.Batch) -> Void,
        claim: @escaping @Sendable (Claims.Batch) -> Void,
        lookUp: @escaping @Sendable (LookupBuffer.Lookup) -> Void,
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
        self.setPriority = setPriority
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
