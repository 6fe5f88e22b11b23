/// How one output's providers have answered in the last minute.
package struct AnswerShare: Sendable, Hashable, Encodable {
    package let output: String
    package let environment: String
    package let answers: Int
    /// 2xx.
    package let accepted: Int
    /// 4xx other than 429.
    package let refused: Int
    /// 5xx and 429.
    package let failed: Int
    /// Half of the answers took at most so long, in milliseconds: the upper bound of a bucket.
    package let p50: Int
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
