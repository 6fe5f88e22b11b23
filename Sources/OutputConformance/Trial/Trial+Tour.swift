import PushModel

extension Trial {
    /// Sends jobs of several kinds and returns their outcomes. The provider is healthy at first and then fails in
    /// several ways that cause no delay. Sending is stopped at the end.
    func tour() async throws -> RecordingSink {
        let recorder = RecordingSink()
        let jobs = [
            try job(to: good(3)), try job(to: good(1) + samples.refused + samples.dead + good(1)),
            try job(to: good(2), expiresAt: Self.past),
        ]
        await deliver(jobs, to: recorder)
        for behaviour in [ProviderBehaviour.refuses, .busy, .garbles, .refusesCredential] where setup.can(behaviour) {
            try await behave(behaviour)
            await deliver([try job(to: good(3))], to: recorder)
        }
        stopSending()
        await deliver([try job(to: good(2))], to: recorder)
        return recorder
    }

    /// The JSON text of a deadline one hour in the past.
    static let past = JobText.json(Timestamp.wallClock.later(by: .seconds(-3_600)).rfc3339)
    /// The JSON text of a deadline one hour in the future.
    static let future = JobText.json(Timestamp.wallClock.later(by: .seconds(3_600)).rfc3339)
}
