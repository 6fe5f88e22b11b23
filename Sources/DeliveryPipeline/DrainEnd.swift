/// The result of a drain.
package enum DrainEnd: Sendable, Hashable {
    /// All outcomes are confirmed, and the broker received all acknowledgements.
    case settled
    /// All outcomes are confirmed, but the broker may have missed acknowledgements. It may then redeliver finished
    /// jobs.
    case unanswered
    /// Some jobs are unfinished. The broker redelivers them.
    case unsettled

    /// Derives the result of a drain.
    ///
    /// - Parameters:
    ///   - isInTime: whether all jobs were done before the deadline.
    ///   - unconfirmed: the number of publications that the broker has not confirmed.
    ///   - counts: the counts after all connections were closed.
    package init(isInTime: Bool, unconfirmed: Int, _ counts: PipelineCounts) {
        self =
            if !isInTime || unconfirmed > 0 { .unsettled } else if counts.mayLackAcknowledgements { .unanswered } else {
                .settled
            }
    }
}
