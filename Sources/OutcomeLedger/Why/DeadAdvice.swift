/// The advice to an operator about a dead-lettered job.
enum DeadAdvice {
    /// The fields of a rejection that name a fault outside the job itself: in its app, its credential, an output of the
    /// worker, a rate limit, or the broker.
    private static let elsewhere: Set<Substring> = ["app", "credential", "message", "output", "rate"]

    /// Returns the advice for a dead-lettered job. If the fault is in the job itself, the job must be corrected,
    /// because a replay would repeat the fault.
    ///
    /// - Parameter reason: the reason for the rejection, such as `field: problem`. A reason that the broker gave names
    ///   no field.
    static func text(on job: String, _ reason: String) -> String {
        let field = reason.prefix { $0 != ":" }
        let isItsText = field.count < reason.count && !field.contains(" ") && !elsewhere.contains(field)
        return isItsText
            ? "Publish a corrected job, then run 'martlet dead drop --id \(job)'."
            : "Correct the cause, then run 'martlet dead replay --id \(job)'. If the fault is in the job, publish a "
                + "corrected job instead, then run 'martlet dead drop --id \(job)'."
    }
}
