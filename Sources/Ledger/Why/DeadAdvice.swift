/// What to do about a job that can't be used.
enum DeadAdvice {
    /// What else than the job's own text may be mended: its app, its credential, the worker's outputs, a rate, the broker.
    private static let elsewhere: Set<Substring> = ["app", "credential", "message", "output", "rate"]

    /// - Parameter reason: `field: problem`, or the broker's, which names no field. A fault of the job's own text is in it
    ///   again when it is published again.
    static func text(on job: String, _ reason: String) -> String {
        let field = reason.prefix { $0 != ":" }
        let isItsText = field.count < reason.count && !field.contains(" ") && !elsewhere.contains(field)
        return isItsText
            ? "Publish a mended job, then 'martlet dead drop --id \(job)'."
            : "Mend what is named; 'martlet dead replay --id \(job)' publishes it again. Is the fault in the job, publish a "
                + "mended one and 'martlet dead drop --id \(job)'."
    }
}
