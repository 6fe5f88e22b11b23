extension WorkerReport {
    /// The answers from one output's provider to one worker in the last minute.
    ///
    /// A report is encoded as an array without keys, because a worker's row has little room. A later version may append
    /// elements.
    package struct AnswerReport: Sendable, Hashable, Codable {
        package let output: String
        package let environment: String
        /// The number of answers with status 2xx.
        package let accepted: Int
        /// The number of answers with status 5xx or 429.
        package let retried: Int
        /// The number of all other answers, such as 4xx except 429.
        package let refused: Int
        /// The median answer time, in milliseconds.
        package let p50: Int
        /// The 99th percentile of the answer time, in milliseconds.
        package let p99: Int

        package init(
            output: String, environment: String, accepted: Int, retried: Int, refused: Int, p50: Int, p99: Int
        ) {
            (self.output, self.environment) = (output, environment)
            (self.accepted, self.retried, self.refused) = (accepted, retried, refused)
            (self.p50, self.p99) = (p50, p99)
        }

        package init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            output = try values.decode(String.self)
            environment = try values.decode(String.self)
            accepted = try values.decode(Int.self)
            retried = try values.decode(Int.self)
            refused = try values.decode(Int.self)
            p50 = try values.decode(Int.self)
            p99 = try values.decode(Int.self)
        }

        package func encode(to encoder: any Encoder) throws {
            var values = encoder.unkeyedContainer()
            try values.encode(output)
            try values.encode(environment)
            for number in [accepted, retried, refused, p50, p99] { try values.encode(number) }
        }

        var answers: Int { accepted + retried + refused }

        /// This report with bounded numbers and strings, because the row of another worker may contain anything.
        var believable: Self {
            Self(
                output: WorkerReport.cut(output), environment: WorkerReport.cut(environment),
                accepted: WorkerReport.believable(accepted), retried: WorkerReport.believable(retried),
                refused: WorkerReport.believable(refused), p50: WorkerReport.believable(p50),
                p99: WorkerReport.believable(p99))
        }

        private static let mostReports = 8

        /// Returns the reports with the most answers, at most ``mostReports``, sorted by output and environment.
        static func fitting(_ reports: [Self]) -> [Self] {
            reports.sorted { $0.answers > $1.answers }.prefix(mostReports)
                .sorted { ($0.output, $0.environment) < ($1.output, $1.environment) }
        }
    }
}
