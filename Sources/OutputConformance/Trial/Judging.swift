import PushModel

extension [OutcomeEntry] {
    func of(_ job: SampleJob) -> [OutcomeEntry] { filter { $0.number == job.number } }

    /// Returns the entries for some recipients of a job.
    func of(_ job: SampleJob, to recipients: [String]) -> [OutcomeEntry] {
        of(job).filter {
            job.recipients.indices.contains($0.recipient) && recipients.contains(job.recipients[$0.recipient])
        }
    }

    /// Returns a line of text for each entry whose verdict is not in `verdicts`, or one line if there are no entries.
    func problems(unless verdicts: Set<Outcome.Verdict>, _ what: String) -> [String] {
        if isEmpty { return ["\(what): no outcome"] }
        let wanted = verdicts.map { "\($0)" }.sorted().joined(separator: " or ")
        return filter { !verdicts.contains($0.verdict) }.map { "\(what): not \(wanted), but \($0)" }
    }

    func problems(unless verdict: Outcome.Verdict, _ what: String) -> [String] { problems(unless: [verdict], what) }

    /// Returns a line of text for each entry that meets the condition.
    func problems(_ what: String, where isBad: (OutcomeEntry) -> Bool) -> [String] {
        filter(isBad).map { "\($0): \(what)" }
    }
}

extension SampleJob {
    /// Returns a line of text for each outcome that does not match whether its push reached the provider.
    ///
    /// - Parameter arrivals: the number of pushes for each recipient, or `nil` if it is unknown. Nothing is checked if
    ///   it is unknown.
    func problemsOfHonesty(_ entries: [OutcomeEntry], _ arrivals: [String: Int]?) -> [String] {
        guard let arrivals else { return [] }
        return entries.of(self).filter { recipients.indices.contains($0.recipient) }.compactMap { entry in
            let hasArrived = arrivals[recipients[entry.recipient]] != nil
            switch entry.verdict {
            case .sent where !hasArrived: return "\(entry): it never reached the provider"
            case .returned, .expired, .retry, .hold, .failed:
                return hasArrived ? "\(entry): it had reached the provider" : nil
            case .sent, .unknown, .unregistered, .rejected, .suppressed: return nil
            }
        }
    }
}
