/// The action for a job that was delivered repeatedly without being settled. A delivery that ended with a connection
/// loss that this worker survived is no evidence against the job. Any other delivery may have killed a worker.
///
/// | deliveries before | unexplained by survived losses | action |
/// |---|---|---|
/// | any | five or more | the job is moved to the suspects |
/// | close to the broker's limit | fewer | the job is published again, so that the broker counts from zero |
/// | fewer | fewer | none |
package enum Suspicion: Sendable, Hashable {
    case none
    case suspect
    case renew

    /// Decides on the action for a job.
    ///
    /// - Parameters:
    ///   - deliveries: the number of earlier deliveries from this queue, as counted by the broker.
    ///   - survived: the number of losses of the queue's connection that this worker survived.
    package init(deliveries: Int, survived: Int, queue: JobQueue) {
        let unexplained = deliveries - survived
        let limit = queue == .suspects ? PipelineNames.suspectDeliveries : PipelineNames.deliveries
        if queue != .suspects, unexplained >= PipelineConfiguration.deliveriesUntilSuspect {
            self = .suspect
        } else if deliveries >= limit - limit / 4, queue != .suspects || unexplained <= 0 {
            self = .renew
        } else {
            self = .none
        }
    }
}
