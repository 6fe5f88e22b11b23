extension Problem {
    /// The grace period, in seconds. A missing connection, a missing confirm or a silent worker becomes a problem after
    /// this time.
    static let graceSeconds = 15

    /// Returns all problems of the worker whose state is given.
    package static func all(of facts: StatusFacts) -> [Problem] {
        if case .waiting(let reason) = facts.stage {
            if reason.hasPrefix(StatusFacts.waitsForDatabase) {
                return [Problem(.databaseAwaited, "This worker processes no jobs yet: it is \(reason)")]
            }
            return DatabaseProblems(facts: facts).link + facts.failures.map { Problem(of: $0, at: facts.name) }
        }
        return DatabaseProblems(facts: facts).all + BrokerProblems(facts: facts).all + OwnProblems(facts: facts).all
            + FleetProblems(facts: facts).all + CredentialProblems(facts: facts).all
            + ProviderProblems(facts: facts).all + OtherProblems(facts: facts).all
    }
}
