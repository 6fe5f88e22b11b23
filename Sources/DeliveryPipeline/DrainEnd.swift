/// How a drain has ended.
public enum DrainEnd: Sendable, Hashable {
    /// All that had become of jobs is safe, and the broker has got all acknowledgements.
    case settled
    /// The same is safe, but it is not known whether the broker has got all acknowledgements: it may deliver jobs again
    /// that are done.
    case unanswered
    /// Some jobs are left to the broker.
    case unsettled

    /// - Parameters:
    ///   - isInTime: all jobs were done before the deadline.
    ///   - unconfirmed: publications without the broker's word on them.
    ///   - counts: once all connections are closed.
    package init(isInTime: Bool, unconfirmed: Int, _ counts: PipelineCounts) {
        self =
            if !isInTime || unconfirmed > 0 { .unsettled } else if counts.mayLackAcknowledgements { .unanswered } else {
                .settled
            }
    }
}
