package import PushModel

/// What the pipeline relies on, whatever the output: see ``Output``.
package struct OutputContract: Sendable {
    private let output: any Output
    private let credential: Credential?
    private let now: Timestamp
    private let patience: Duration

    /// - Parameters:
    ///   - output: one that is ready to send and uses `now` as its time.
    ///   - patience: how long it may take until it counts as stuck.
    package init(
        _ output: any Output, credential: Credential? = nil, now: Timestamp, patience: Duration = .seconds(40)
    ) {
        self.output = output
        self.credential = credential
        self.now = now
        self.patience = patience
    }

    /// Sends jobs, shuts the output down, and says what was not as it must be.
    package func violations() async throws -> [String] {
        let later = Timestamp(milliseconds: now.milliseconds + 3_600_000)
        let earlier = Timestamp(milliseconds: now.milliseconds - 1)
        let good = try [1, 2, 150].flatMap { count in
            try Lane.allCases.map { try job("\(count)-\($0)", recipients: count, expires: later, lane: $0) }
        }
        let expired = try [1, 40].map { try job("expired-\($0)", recipients: $0, expires: earlier, lane: .normal) }
        let jobs = good + expired
        let recorder = OutcomeRecorder()
        for job in jobs { output.send(job, reportingTo: recorder) }
        output.cancel { $0.hasPrefix("150-") }
        await recorder.wait(for: jobs.reduce(0) { $0 + $1.job.recipients.count }, atMost: patience)

        var violations = await shutDownViolations()
        // After the shut-down, so that what came too often or too late is seen.
        if recorder.batches.contains(where: \.isEmpty) { violations.append("an empty batch was reported") }
        for job in jobs {
            violations += violationsOfCount(job, recorder.outcomes.filter { $0.job === job })
        }
        for job in expired {
            for outcome in recorder.outcomes where outcome.job === job && outcome.verdict != .expired {
                violations.append("\(job.job.id): expired, but \(outcome.verdict) for recipient \(outcome.recipient)")
            }
        }
        for outcome in recorder.outcomes where outcome.reason == Outcome.cancelled {
            let id = outcome.job.job.id
            if !id.hasPrefix("150-") || outcome.verdict != .failed {
                violations.append("\(id): \(outcome.verdict), cancelled, and nobody did")
            }
        }
        let known = Set(jobs.map(ObjectIdentifier.init))
        for outcome in recorder.outcomes where !known.contains(ObjectIdentifier(outcome.job)) {
            violations.append("\(outcome.job.job.id): an outcome of a job that was not handed in")
        }
        return violations
    }

    private func violationsOfCount(_ job: RoutedJob, _ outcomes: [Outcome]) -> [String] {
        var counts = Array(repeating: 0, count: job.job.recipients.count)
        var violations: [String] = []
        for outcome in outcomes {
            if counts.indices.contains(outcome.recipient) {
                counts[outcome.recipient] += 1
            } else {
                violations.append("\(job.job.id): there is no recipient \(outcome.recipient)")
            }
        }
        for (recipient, count) in counts.enumerated() where count != 1 {
            violations.append("\(job.job.id): recipient \(recipient) has \(count) outcomes")
        }
        return violations
    }

    private func shutDownViolations() async -> [String] {
        let (ends, end) = AsyncStream<Bool>.makeStream()
        Task { [output] in
            await output.shutDown()
            end.yield(true)
        }
        let deadline = Task { [patience] in
            try await Task.sleep(for: patience)
            end.yield(false)
        }
        defer { deadline.cancel() }
        let hasReturned = await ends.first { _ in true } ?? false
        return hasReturned ? [] : ["shutDown did not return within \(patience)"]
    }

    private func job(_ id: String, recipients: Int, expires: Timestamp, lane: Lane) throws -> RoutedJob {
        let tokens = (0..<recipients).map { index in
            #""\#(String(0xC0FF_EE00_0000 + index, radix: 16))""#
        }
        let job = try Job.sample(
            recipients: "[\(tokens.joined(separator: ","))]", #""id":"\#(id)""#,
            #""expires_at":"\#(expires.rfc3339)""#)
        return RoutedJob(job, credential: credential, lane: lane)
    }
}
