package import Metering

/// A provider that has pushes of ours and answers none of them.
package struct SilentProvider: Sendable, Hashable {
    package let output: String
    package let environment: String
    /// On the wire.
    package let pushes: Int
    package let seconds: Int

    package init(output: String, environment: String, pushes: Int, seconds: Int) {
        (self.output, self.environment) = (output, environment)
        (self.pushes, self.seconds) = (pushes, seconds)
    }
}

/// A provider is silent when at every look of 25 seconds pushes were on the wire to it, and no answer had come since the
/// first of them. A value: no clock.
package struct AnswerWatch: Sendable {
    /// Far longer than an answer takes, and less than a provider is given for one.
    package static let patience = Duration.seconds(25)
    package static let families: [MetricFamily] = [.poolStreams, .answers]

    private struct Provider: Hashable {
        let output, environment: String

        init(_ labels: [String: String]) {
            (output, environment) = (labels["output"] ?? "", labels["environment"] ?? "")
        }
    }

    /// Of those with pushes on the wire.
    private var waits: [Provider: (since: ContinuousClock.Instant, answers: Int)] = [:]
    package private(set) var silent: [SilentProvider] = []

    package init() {}

    package mutating func look(at page: MetricPage, now: ContinuousClock.Instant) {
        var answers: [Provider: Int] = [:]
        for (labels, count) in page.counts(of: .answers) { answers[Provider(labels), default: 0] += count }
        var streams: [Provider: Int] = [:]
        for (labels, count) in page.values(of: .poolStreams) { streams[Provider(labels), default: 0] += Int(count) }
        let before = waits
        waits = [:]
        silent = []
        for (provider, pushes) in streams where pushes > 0 {
            let answers = answers[provider] ?? 0
            let wait = before[provider].flatMap { $0.answers == answers ? $0 : nil } ?? (since: now, answers: answers)
            waits[provider] = wait
            guard now - wait.since >= Self.patience else { continue }
            silent.append(
                SilentProvider(
                    output: provider.output, environment: provider.environment, pushes: pushes,
                    seconds: Int((now - wait.since) / .seconds(1))))
        }
        silent.sort { ($0.pushes, $0.output, $0.environment) > ($1.pushes, $1.output, $1.environment) }
    }
}

extension SilentProvider {
    var problem: Problem {
        Problem(
            .providerSilent,
            "\(output) \(environment): no answer for \(Phrase.duration(seconds)); pushes on the wire: "
                + "\(Phrase.figure(pushes)).",
            subject: "\(output) \(environment)")
    }
}
