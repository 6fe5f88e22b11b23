import DeliveryPipeline
import Foundation
import PushModel

/// The keys of outcomes: result events, retries and the ledger.
extension ConfigurationKey {
    private static let retry = RetryPolicy()

    static let resultsMaximumOutcomes = ConfigurationKey(
        "results.maximum_outcomes", .integer(1...10_000), default: "500", isAdvanced: true,
        "maximum outcomes in an event")
    static let resultsMaximumWait = ConfigurationKey(
        "results.maximum_wait", .integer(0...10_000), default: "10", unit: .milliseconds, isAdvanced: true,
        "maximum time that an outcome waits for other outcomes to share its event")
    static let retryDelays = ConfigurationKey(
        "retry.delays", default: retry.delays.map(String.init).joined(separator: ","), unit: .seconds,
        pattern: " *[0-9]+( *, *[0-9]+)*", isAdvanced: true,
        "times to wait after each attempt, in rising order (each delay [needs a queue](brokers.md#change-the-delays))")
    static let retryMaximumAge = ConfigurationKey(
        "retry.maximum_age", .integer(1...30 * 86_400), default: "\(retry.maximumAge)", unit: .seconds,
        isAdvanced: true, isReloadable: true, "time after the first attempt during which a push is retried")
    static let retryMaximumAttempts = ConfigurationKey(
        "retry.maximum_attempts", .integer(1...1_000), default: "\(retry.maximumAttempts)", isAdvanced: true,
        isReloadable: true, "maximum attempts of a push before its outcome is `failed`")
    package static let ledgerSent = ConfigurationKey(
        "ledger.sent", default: "all", pattern: "all|none|sample:[0-9.]+",
        "accepted pushes that the [ledger](why.md) records: `all`, `none`, or a share such as `sample:0.01`")
    package static let ledgerDays = ConfigurationKey(
        "ledger.days", .integer(1...3_650), default: "14", unit: .days, "time for which the ledger keeps outcomes")

    static let outcomes = [
        resultsMaximumOutcomes, resultsMaximumWait, retryDelays, retryMaximumAge, retryMaximumAttempts, ledgerSent,
        ledgerDays,
    ]
}

extension ConfigurationSource {
    func retryDelays() throws -> [Int] {
        let text = try required(.retryDelays)
        let delays = text.split(separator: ",", omittingEmptySubsequences: false).map {
            Int($0.trimmingCharacters(in: .whitespaces)) ?? 0
        }
        guard (1...10).contains(delays.count), delays.allSatisfy({ (1...86_400).contains($0) }),
            zip(delays, delays.dropFirst()).allSatisfy({ $0 < $1 })
        else {
            throw ConfigurationError(
                .retryDelays, "is \(text), but must be 1 to 10 rising numbers of seconds up to 86400, such as 5,30,120")
        }
        return delays
    }
}
