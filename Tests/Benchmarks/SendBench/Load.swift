import APNSOutput
import PushModel
import Foundations

/// A constant load on an output. A fixed number of copies of one job is always queued, so the output is never idle.
/// That number is small to save memory and start-up time.
struct Load {
    private static let jobsAtOnce = 40

    let job: RoutedJob
    let output: APNSSender

    /// Returns the number of pushes accepted per second in the second half of the time.
    func rate(seconds: Int) async throws -> Double {
        let sink = RefillingSink(job: job, output: output)
        for _ in 0..<Self.jobsAtOnce { output.send(job, reportingTo: sink) }
        let half = Duration.seconds(seconds) / 2
        try await Task.sleep(for: half)
        let (before, start) = (sink.sent, ContinuousClock.now)
        try await Task.sleep(for: half)
        return Double(sink.sent - before) / ((ContinuousClock.now - start) / .seconds(1))
    }

    /// A sink that sends the job again whenever it has received as many outcomes as the job has recipients.
    private final class RefillingSink: OutcomeSink {
        private struct State {
            var sent = 0
            var reported = 0
            var jobsAnswered = 0
        }

        private let job: RoutedJob
        private let output: APNSSender
        private let state = Mutex(State())

        init(job: RoutedJob, output: APNSSender) {
            self.job = job
            self.output = output
        }

        var sent: Int { state.withLock(\.sent) }

        func report(_ outcomes: [Outcome]) {
            let due = state.withLock { state in
                state.sent += outcomes.count { $0.verdict == .sent }
                state.reported += outcomes.count
                let due = state.reported / job.job.recipients.count - state.jobsAnswered
                state.jobsAnswered += due
                return due
            }
            for _ in 0..<due { output.send(job, reportingTo: self) }
        }
    }
}
