import PushModel

/// Rules about outcomes when the provider fails.
enum ProviderFailureRules {
    static let all = [refuses, busy, refusesCredential, garbles, hangsUp, silent, away, recovers]

    private static let refuses = on(
        .refuses, "provider refuses",
        "A push that the provider permanently refuses is `rejected`, with the provider as the judge.", [.rejected]
    ) { entries, _ in entries.problems("the judge must be the provider") { $0.judge != .provider } }

    private static let busy = on(
        .busy, "provider is busy", "A push that the provider asks to send later is `retry`.", [.retry])

    private static let refusesCredential = on(
        .refusesCredential, "credential refused",
        "If the provider refuses the credential, recipients are `hold`, `failed` (judge: provider) if the refusal is "
            + "permanent, or `retry` if it may concern only the push.",
        [.hold, .failed, .retry]
    ) { entries, _ in
        entries.problems("the judge must be the provider") { $0.verdict == .failed && $0.judge != .provider }
    }

    private static let garbles = on(
        .garbles, "provider talks nonsense",
        "An invalid answer proves neither that a push was accepted nor that a recipient is dead.",
        [.rejected, .failed, .retry, .unknown])

    private static let hangsUp = on(
        .hangsUp, "provider hangs up", "A push written before the connection ended is `unknown`.", [.unknown, .retry],
        needs: [.arrivals], also: written)

    private static let silent = on(
        .silent, "provider is silent", "A push that is never answered becomes `unknown` in time.",
        [.unknown, .retry], needs: [.arrivals], also: written)

    private static let away = on(
        .away, "provider is away",
        "Pushes that cannot be written because no connection is open are `hold`, which uses no attempt, or `retry`.",
        [.hold, .retry], isConnected: false)

    private static let recovers = ConformanceRule(
        "recovers", "When the provider accepts pushes again, they are `sent`.", needs: [.badDays]
    ) { trial in
        var problems: [String] = []
        for behaviour in ProviderBehaviour.bad where trial.setup.can(behaviour) {
            try await trial.behave(behaviour)
            _ = await trial.outcomes(of: try trial.job(to: trial.good(2)))
            try await trial.behave(.accepts)
            var last: [OutcomeEntry] = []
            let isWell = await eventually(within: trial.limits.patience) {
                guard let job = try? trial.job(to: trial.good(1)) else { return false }
                last = await trial.outcomes(of: job)
                return last.contains { $0.verdict == .sent }
            }
            if !isWell { problems.append("after a provider that \(behaviour.rawValue): \(last)") }
        }
        return problems
    }

    private static func on(
        _ behaviour: ProviderBehaviour, _ name: String, _ demand: String, _ verdicts: Set<Outcome.Verdict>,
        needs: [HarnessPart] = [], isConnected: Bool = true,
        also others: @escaping @Sendable (_ entries: [OutcomeEntry], _ hasArrived: [Bool]) -> [String] = { _, _ in [] }
    ) -> ConformanceRule {
        ConformanceRule(name, demand, needs: [.behaviour(behaviour)] + needs) { trial in
            if isConnected { _ = await trial.outcomes(of: try trial.job(to: trial.good(1))) }
            try await trial.behave(behaviour)
            let job = try trial.job(to: trial.good(3))
            let entries = await trial.outcomes(of: job)
            let arrivals = await trial.arrivals() ?? [:]
            let hasArrived = entries.map { entry in
                job.recipients.indices.contains(entry.recipient) && arrivals[job.recipients[entry.recipient]] != nil
            }
            return entries.problems(unless: verdicts, job.id) + others(entries, hasArrived)
        }
    }

    /// Returns a line of text for each push that reached the provider and has the verdict `retry`, although the
    /// provider may have accepted it.
    @Sendable private static func written(_ entries: [OutcomeEntry], _ hasArrived: [Bool]) -> [String] {
        zip(entries, hasArrived).filter { $0.verdict == .retry && $1 }.map { entry, _ in
            "\(entry): it had reached the provider, which may have accepted it"
        }
    }
}
