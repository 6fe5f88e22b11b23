import Metering
import Observability
import PushModel

extension MetricPage {
    /// Returns the counters of a worker that has sent pushes for a number of seconds. Nine of ten answers took 40 ms,
    /// the others 200 ms.
    static func history(seconds: Int, outputs: [String], rate: Int) -> MetricPage {
        let registry = MetricRegistry()
        for (place, output) in outputs.enumerated() {
            let sent = rate * seconds / (place + 1)
            registry.cell(.pushesByOutput, [output, "sent"]).add(sent)
            registry.cell(.pushesByOutput, [output, "retried"]).add(sent / 100)
            registry.cell(.pushesByOutput, [output, "refused"]).add(sent / 1_000)
            let answers = registry.histogram(.answers, [output, "production", "200"])
            answers.observe(40, times: sent * 9 / 10)
            answers.observe(200, times: sent / 10)
        }
        return registry.page(of: HistoryReading.families)
    }
}

extension HistoryRing {
    /// Returns the history of a worker that ran for the given number of seconds until `end`.
    static func sample(
        until end: Timestamp, seconds: Int, outputs: [String] = ["apns"], rate: Int = 100, waiting: [Int] = [0, 3, 50]
    ) -> HistoryRing {
        var recorder = HistoryRecorder()
        for second in stride(from: 0, through: seconds, by: 5) {
            recorder.beat(
                HistoryReading(.history(seconds: second, outputs: outputs, rate: rate)), waiting: waiting,
                at: Timestamp(seconds: end.seconds - Int64(seconds - second)))
        }
        return recorder.ring
    }
}

extension HistorySum {
    static func sample(
        _ workers: Int = 1, until end: Timestamp, seconds: Int = 3_600, outputs: [String] = ["apns"], rate: Int = 100
    ) -> HistorySum {
        var sum = HistorySum(now: end)
        let ring = HistoryRing.sample(until: end, seconds: seconds, outputs: outputs, rate: rate)
        for _ in 0..<workers { sum.add(ring) }
        return sum
    }
}
