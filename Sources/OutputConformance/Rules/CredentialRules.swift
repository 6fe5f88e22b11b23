import PushModel

/// Rules about changes to credentials.
enum CredentialRules {
    static let all = [othersGoOn, unheardOf, retired, comesLate, withdrawn, closesRetired, secondOfAccount]

    private static let othersGoOn = ConformanceRule(
        "credentials change", "A credential that stays in use works as before."
    ) { trial in
        let all = trial.samples.credentials
        trial.use(all)
        let before = await trial.outcomes(of: try trial.job(to: trial.good(2), credential: all.last))
        trial.use(all.suffix(1))
        let after = await trial.outcomes(of: try trial.job(to: trial.good(2), credential: all.last))
        return before.problems(unless: .sent, "before") + after.problems(unless: .sent, "after")
    }

    private static let unheardOf = ConformanceRule(
        "credential not named yet", "A credential that was never named belongs to a later snapshot and is valid.",
        needs: [.credential]
    ) { trial in
        trial.use(["another"])
        return await trial.outcomes(of: try trial.job(to: trial.good(2))).problems(unless: .sent, "a new credential")
    }

    private static let retired = ConformanceRule(
        "credential retired",
        "Jobs of a retired credential are finished, or pushes not on the wire are `returned`. Other jobs continue.",
        needs: [.twoCredentials, .behaviour(.slow), .crowd]
    ) { trial in
        let (old, new) = (trial.samples.credentials[0], trial.samples.credentials[1])
        return try await trial.withCrowds(mayAllPass: true) { trial, count in
            trial.use([old, new])
            let recorder = RecordingSink()
            let crowd = try await trial.crowd(of: count, in: recorder, credential: old)
            trial.use([new])
            let next = try trial.job(to: trial.good(3), credential: new)
            await trial.deliver([next], to: recorder)
            await recorder.wait(for: count + 3, atMost: trial.limits.patience)
            let entries = recorder.entries.of(crowd)
            let problems =
                entries.problems(unless: [.sent, .returned], "the old credential's")
                + crowd.problemsOfHonesty(entries, await trial.arrivals())
                + recorder.entries.of(next).problems(unless: .sent, "the new credential's")
            return (problems, isTelling: entries.contains { $0.verdict != .sent })
        }
    }

    private static let comesLate = ConformanceRule(
        "job of a retired credential",
        "A job that was routed before its credential was retired is `sent`, or `returned` to be routed again.",
        needs: [.twoCredentials]
    ) { trial in
        trial.use(trial.samples.credentials)
        trial.use(Array(trial.samples.credentials.dropFirst()))
        return await trial.outcomes(of: try trial.job(to: trial.good(2)))
            .problems(unless: [.returned, .sent], "the retired credential's")
    }

    private static let withdrawn = ConformanceRule(
        "credential taken back", "A retired credential that is named again is valid again.",
        needs: [.twoCredentials]
    ) { trial in
        let all = trial.samples.credentials
        trial.use(all)
        _ = await trial.outcomes(of: try trial.job(to: trial.good(1)))
        trial.use(Array(all.dropFirst()))
        trial.use(all)
        return await trial.outcomes(of: try trial.job(to: trial.good(2))).problems(unless: .sent, "the same credential")
    }

    private static let closesRetired = ConformanceRule(
        "retired connections close", "Connections of a retired credential are closed after the last answer.",
        needs: [.twoCredentials, .openConnections]
    ) { trial in
        let all = trial.samples.credentials
        trial.use(all)
        for credential in all { _ = await trial.outcomes(of: try trial.job(to: trial.good(1), credential: credential)) }
        let before = await trial.setup.openConnections?() ?? 0
        trial.use(Array(all.dropFirst()))
        let isClosed = await eventually(within: trial.limits.patience) {
            await trial.setup.openConnections?() ?? 0 < before
        }
        return isClosed ? [] : ["all \(before) connections are still open"]
    }

    /// The rule that a second credential of an account reaches the same recipients. It does not apply if
    /// `OutputCredentials.addressesAreBound` is true, because an account then has at most one credential in use.
    private static let secondOfAccount = ConformanceRule(
        "second credential of an account",
        "A recipient can be sent to with each credential of its account, unless the plugin declares that addresses "
            + "are bound to the key.",
        needs: [.twoCredentialsOfAnAccount]
    ) { trial in
        if trial.setup.plugin.credentials?.addressesAreBound ?? false { return [] }
        let (first, second) = (trial.samples.credentials[0], trial.samples.credentials[1])
        let recipients = trial.good(2)
        trial.use([first])
        let before = await trial.outcomes(of: try trial.job(to: recipients, credential: first))
        trial.use([first, second])
        let after = await trial.outcomes(of: try trial.job(to: recipients, credential: second))
        return before.problems(unless: .sent, "the first credential's")
            + after.problems(unless: .sent, "the second credential's")
    }
}
