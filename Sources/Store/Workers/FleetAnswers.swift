/// The answers from one output's provider to all running workers in the last minute.
package struct FleetAnswers: Sendable, Hashable {
    /// The highest value of an answer-time percentile among the workers. The maximum is reported because percentiles of
    /// several workers can't be combined.
    package struct Slowest: Sendable, Hashable {
        package let milliseconds: Int
        /// The name of the worker with the highest value.
        package let worker: String
    }

    package let output: String
    package let environment: String
    /// The number of answers with status 2xx.
    package private(set) var accepted = 0
    /// The number of answers with status 5xx or 429.
    package private(set) var retried = 0
    /// The number of all other answers, such as 4xx except 429.
    package private(set) var refused = 0
    /// The highest median answer time of a worker.
    package private(set) var p50: Slowest
    /// The highest 99th percentile of the answer time of a worker.
    package private(set) var p99: Slowest

    init(_ report: WorkerReport.AnswerReport, of worker: String) {
        (output, environment) = (report.output, report.environment)
        p50 = Slowest(milliseconds: report.p50, worker: worker)
        p99 = Slowest(milliseconds: report.p99, worker: worker)
        add(report, of: worker)
    }

    mutating func add(_ report: WorkerReport.AnswerReport, of worker: String) {
        accepted += report.accepted
        retried += report.retried
        refused += report.refused
        if report.p50 > p50.milliseconds { p50 = Slowest(milliseconds: report.p50, worker: worker) }
        if report.p99 > p99.milliseconds { p99 = Slowest(milliseconds: report.p99, worker: worker) }
    }
}

extension [FleetMember] {
    /// The answers of providers to the running workers, sorted by output and environment.
    package var answers: [FleetAnswers] {
        var found: [[String]: FleetAnswers] = [:]
        for member in running {
            for report in member.report?.answers ?? [] {
                let key = [report.output, report.environment]
                if found[key]?.add(report, of: member.name) == nil {
                    found[key] = FleetAnswers(report, of: member.name)
                }
            }
        }
        return found.values.sorted { ($0.output, $0.environment) < ($1.output, $1.environment) }
    }

    /// The names of the running workers that do not report their answers. Their versions do not support it, or their
    /// rows have no room.
    package var withoutAnswers: [String] { running.filter { $0.report?.answers == nil }.map(\.name) }
}
