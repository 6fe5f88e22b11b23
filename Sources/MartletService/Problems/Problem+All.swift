extension Problem {
    /// A worker has just been started: connections come about one after the other.
    static let graceSeconds = 15

    /// Everything that the facts show to be wrong.
    package static func all(of facts: StatusFacts) -> [Problem] {
        if case .waiting(let reason) = facts.stage {
            guard reason.hasPrefix(StatusFacts.waitsForDatabase) else { return [] }
            return [Problem(.databaseAwaited, "This worker has not begun: it is \(reason)")]
        }
        return DatabaseProblems(facts: facts).all + BrokerProblems(facts: facts).all + OwnProblems(facts: facts).all
            + FleetProblems(facts: facts).all + CredentialProblems(facts: facts).all
            + ProviderProblems(facts: facts).all + OtherProblems(facts: facts).all
    }
}
