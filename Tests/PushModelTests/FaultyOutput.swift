import PushModel
import Threading

/// An output with one fault.
final class FaultyOutput: Output {
    enum Fault: Sendable {
        case forgets, repeats, invents, reportsNothing, sendsExpired, cancelsOthers, neverShutsDown
    }

    let name = "faulty"
    let needsCredential = false
    private let fault: Fault
    private let now: Timestamp
    private let stuck = Mutex<CheckedContinuation<Void, Never>?>(nil)

    init(_ fault: Fault, now: Timestamp) {
        self.fault = fault
        self.now = now
    }

    func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink) {
        func outcome(_ recipient: Int) -> Outcome {
            let isExpired = job.job.isExpired(at: now) && fault != .sendsExpired
            return Outcome(job: job, recipient: recipient, verdict: isExpired ? .expired : .sent, at: now)
        }
        var outcomes = job.job.recipients.indices.map(outcome)
        switch fault {
        case .forgets: outcomes.removeFirst()
        case .repeats: outcomes.append(outcome(0))
        case .invents: outcomes.append(outcome(outcomes.count))
        case .reportsNothing: sink.report([])
        case .cancelsOthers:
            outcomes = job.job.recipients.indices.map {
                Outcome(job: job, recipient: $0, verdict: .failed, reason: Outcome.cancelled, at: now)
            }
        case .sendsExpired, .neverShutsDown: break
        }
        sink.report(outcomes)
    }

    func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) {}

    func credentialsChanged(to credentials: Set<Credential.ID>) {}

    func stopSending() {}

    func shutDown() async {
        guard fault == .neverShutsDown else { return }
        await withCheckedContinuation { continuation in stuck.withLock { $0 = continuation } }
    }

    /// Lets a shut-down that hangs come to its end after all.
    func release() {
        stuck.withLock { $0.take() }?.resume()
    }
}
