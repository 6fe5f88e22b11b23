import PushModel

/// Rules about hostile input in jobs.
enum HostileInputRules {
    static let all = [hostileRecipients, hostilePayloads, hostileFields]

    /// The verdicts that hostile input may have. All are final, because another attempt would have the same result.
    private static let final: Set<Outcome.Verdict> = [.sent, .rejected, .unregistered, .failed]

    private static let hostileRecipients = ConformanceRule(
        "hostile recipients",
        "Any text may be a recipient. Its outcome is final, and valid recipients beside it and after it are `sent`."
    ) { trial in
        let good = trial.good(2)
        let twice = good[1]
        let job = try trial.job(to: [good[0]] + hostileTexts + [twice, twice])
        let entries = await trial.outcomes(of: job)
        let problems =
            entries.problems(unless: final, job.id)
            + entries.of(job, to: good).problems(unless: .sent, "good recipients")
        return problems + (try await after(trial))
    }

    private static let hostilePayloads = ConformanceRule(
        "hostile payloads", "A payload may be empty, deep or huge. Its outcome is final, and later pushes are `sent`."
    ) { trial in
        let text = String(repeating: "x", count: 65_000)
        let payloads = [
            "{}", #"{"":null}"#, #"{"text":"\u0000\uFFFF\uD83D\uDC26"}"#, #"{"text":"\#(text)"}"#,
            String(repeating: #"{"a":"#, count: 60) + "1" + String(repeating: "}", count: 60),
        ]
        let jobs = try payloads.map { try trial.job(to: trial.good(2), fields: ["payload": $0]) }
        let own = [#"{}"#, #"{"text":"\#(String(repeating: text, count: 20))"}"#].flatMap { payload in
            trial.good(1).map { SampleRecipient(token: $0, payload: payload) }
        }
        let all = jobs + [try trial.job(to: own)]
        let entries = await trial.outcomes(of: all)
        return all.flatMap { entries.of($0).problems(unless: final, $0.id) } + (try await after(trial))
    }

    private static let hostileFields = ConformanceRule(
        "hostile fields",
        "The topic, push type and collapse id may be any text. The outcome is final, and later pushes are `sent`."
    ) { trial in
        let texts = ["\r\nx-evil: 1", "\u{0}", "é\u{202E}", "../..", String(repeating: "t", count: 60)]
        let jobs = try ["topic", "collapse_id", "push_type"].flatMap { field in
            try texts.map { try trial.job(to: trial.good(2), fields: [field: JobText.json($0)]) }
        }
        let entries = await trial.outcomes(of: jobs)
        return jobs.flatMap { entries.of($0).problems(unless: final, $0.id) } + (try await after(trial))
    }

    private static let hostileTexts = [
        "\u{0}", " ", "\r\nx-evil: 1", "\r\n\r\n", "../../etc/passwd", "%00%2e%2e", "a?b#c", "\u{1B}[2J", "\u{7F}", "é",
        "\u{202E}txt", "\u{FFFD}", "\u{FFFF}", "👩‍👩‍👧‍👦", "\"},{\"", "null", "-1", "0", "http://127.0.0.1:1/",
        String(repeating: "f", count: 4_096), String(repeating: "é", count: 2_000), String(repeating: "f", count: 63),
    ]

    private static func after(_ trial: Trial) async throws -> [String] {
        await trial.outcomes(of: try trial.job(to: trial.good(3))).problems(unless: .sent, "later pushes")
    }
}
