extension Verdict {
    /// The number of deliveries after which a worker moves a job to the suspects queue.
    private static let deliveriesUntilSuspect = 5
    /// The time that a new worker has for its first push and the answer to it on a busy machine, in milliseconds.
    package static let joiningTakes: Int64 = 8_000

    mutating func judgeWorkers(_ record: TortureRecord, _ disturbances: Disturbances) {
        for suspect in record.suspects {
            let job = suspect.job.flatMap { record.jobs[$0] }
            let times = job.map { disturbances.redeliveries(from: $0.published, to: suspect.received) } ?? 0
            guard times < Self.deliveriesUntilSuspect else { continue }
            findings.append(
                Finding(
                    .suspectsJustified, nil,
                    "job \(suspect.job.map { "\($0)" } ?? "without a number") became a suspect after \(times) faults"))
        }
        findings += record.timeouts.map { Finding(.acknowledgedInTime, nil, $0) }
        for join in record.joins {
            guard let ready = join.ready else {
                findings.append(Finding(.latecomersWork, nil, "worker \(join.worker) did not start"))
                continue
            }
            let time = join.firstOutcome.map { $0 - ready }
            // The load had ended before the worker could send any part of it.
            if time == nil, join.left == 0 { continue }
            guard let time, time <= Self.joiningTakes else {
                findings.append(
                    Finding(
                        .latecomersWork, nil,
                        "worker \(join.worker) had sent nothing while \(join.left) recipients of the load were left"))
                continue
            }
        }
    }
}
