import PushModel

/// Rules about the duration of calls to an output.
enum CallRules {
    static let all = [returnsSoon]

    private static let returnsSoon = ConformanceRule(
        "calls return", "send, cancel, credentialsChanged and stopSending return soon, even if the provider fails."
    ) { trial in
        if let worst = [ProviderBehaviour.silent, .slow].first(where: trial.setup.can) {
            try await trial.behave(worst)
        }
        let recorder = RecordingSink()
        let output = trial.setup.output
        let credentials = Set(trial.samples.credentials.map(\.id))
        let jobs = [1, 5_000].map { count in Result { try trial.job(to: trial.good(count)) } }
        var problems: [String] = []
        func time(_ what: String, _ call: @escaping @Sendable () -> Void) async {
            if await trial.host.time(atMost: trial.limits.call, call) == nil {
                problems.append("\(what) took longer than \(trial.limits.call)")
            }
        }
        for job in try jobs.map({ try $0.get() }) {
            await time("send of \(job.recipients.count) recipients", trial.handing([(job, recorder)]))
        }
        await time("credentialsChanged") { output.credentialsChanged(to: credentials) }
        await time("cancel") { output.cancel { $0 == "job-2" } }
        await time("stopSending") { output.stopSending() }
        return problems
    }
}
