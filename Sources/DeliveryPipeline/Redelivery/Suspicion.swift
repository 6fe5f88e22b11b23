package import Contract

/// The action for a job that was delivered repeatedly without being settled. A delivery that ended because this worker
/// lost its connection is no evidence against the job. Any other delivery may have crashed a worker.
///
/// | earlier deliveries | of these, not explained by lost connections | action |
/// |---|---|---|
/// | any | five or more | the job is moved to the suspects |
/// | close to the broker's limit | fewer | the job is published again, so that the broker counts from zero |
/// | fewer | fewer | none |
///
/// A suspect is never moved. It is published again only if lost connections explain all of its deliveries.
package enum Suspicion: Sendable, Hashable {
    case none
    case suspect
    case renew

    /// Decides on the action for a job.
    ///
    /// - Parameters:
    ///   - deliveries: the number of earlier deliveries from this queue, as counted by the broker.
    ///   - survived: the number of times that this worker lost the queue's connection and survived.
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
