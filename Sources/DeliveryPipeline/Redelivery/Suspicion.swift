/// What is to be done with a job because of how often it was delivered without being settled. A delivery that ended with a
/// connection that this worker survived is no evidence against the job; any other may have ended a worker.
///
/// | deliveries before | that no survived loss explains | then |
/// |---|---|---|
/// | any | five or more | it is set apart |
/// | nearly as many as the broker allows | fewer | it is published anew, so that the broker counts from zero |
/// | fewer | fewer | nothing |
package enum Suspicion: Sendable, Hashable {
    case none
    case suspect
    case renew

    /// - Parameters:
    ///   - deliveries: how often the job was delivered from this queue before, as the broker counts.
    ///   - survived: how many losses of the queue's connection this worker lived through.
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
