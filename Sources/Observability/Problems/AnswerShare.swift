/// The answers from one output's provider in the last minute, counted by status.
package struct AnswerShare: Sendable, Hashable, Encodable {
    package let output: String
    package let environment: String
    package let answers: Int
    /// The number of answers with status 2xx.
    package let accepted: Int
    /// The number of all other answers, such as 4xx except 429.
    package let refused: Int
    /// The number of answers with status 5xx or 429.
    package let failed: Int
    /// The median answer time in milliseconds, estimated within a bucket of the histogram.
    package let p50: Int
    /// The 99th percentile of the answer time in milliseconds, estimated within a bucket of the histogram.
    package let p99: Int

    package init(
        output: String, environment: String, answers: Int, accepted: Int, refused: Int, failed: Int, p50: Int, p99: Int
    ) {
        (self.output, self.environment) = (output, environment)
        (self.answers, self.accepted, self.refused, self.failed) = (answers, accepted, refused, failed)
        (self.p50, self.p99) = (p50, p99)
    }

    private enum CodingKeys: String, CodingKey {
        case output, environment, answers, accepted, refused, failed
        case p50 = "p50_milliseconds"
        case p99 = "p99_milliseconds"
    }

    package var name: String { "\(output) \(environment)" }
}
