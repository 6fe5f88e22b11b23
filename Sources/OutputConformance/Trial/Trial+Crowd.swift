import PushModel

extension Trial {
    /// Sends a job to a slow provider. Waits until one of its pushes has arrived, if the double counts arrivals. The
    /// job has more recipients than the output can have on the wire at once.
    func crowd(
        of count: Int, in recorder: RecordingSink, credential: Credential? = nil
    ) async throws -> SampleJob {
        _ = await outcomes(of: try job(to: good(1), credential: credential))
        try await behave(.slow)
        let crowd = try job(to: good(count), credential: credential)
        let before = await arrivals()?.count ?? 0
        send([crowd], to: recorder)
        if setup.arrivals != nil {
            _ = await eventually(within: limits.patience) { await arrivals()?.count ?? 0 > before }
        }
        return crowd
    }

    /// Runs attempts with growing crowds until one of them is conclusive. An attempt is inconclusive if the output has
    /// sent the whole crowd before the tested call, which may happen on a busy machine. Each crowd is twice as large as
    /// the previous one and has its own output.
    ///
    /// - Parameter mayAllPass: whether an output may send the whole crowd in all attempts.
    func withCrowds(
        mayAllPass: Bool = false,
        _ attempt: (Trial, _ count: Int) async throws -> (problems: [String], isTelling: Bool)
    ) async throws -> [String] {
        var count = samples.crowd
        for _ in 1...5 {
            let trial = Trial(harness, try await harness.make(), limits)
            let result = await Result.of { try await attempt(trial, count) }
            let atTheEnd = await trial.end()
            let (found, isTelling) = try result.get()
            let problems = found + atTheEnd
            if isTelling || !problems.isEmpty { return problems }
            count *= 2
        }
        return mayAllPass ? [] : ["all of \(count / 2) were sent nevertheless"]
    }
}
