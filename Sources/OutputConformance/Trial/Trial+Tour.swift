import PushModel

extension Trial {
    /// Sends jobs of all kinds, to a healthy provider and with the failures that take no time, and then stops sending.
    func tour() async throws -> OutcomeBook {
        let book = OutcomeBook()
        let jobs = [
            try job(to: good(3)), try job(to: good(1) + samples.refused + samples.dead + good(1)),
            try job(to: good(2), expiresAt: Self.past),
        ]
        await deliver(jobs, to: book)
        for behaviour in [ProviderBehaviour.refuses, .busy, .garbles, .refusesCredential] where setup.can(behaviour) {
            try await behave(behaviour)
            await deliver([try job(to: good(3))], to: book)
        }
        stopSending()
        await deliver([try job(to: good(2))], to: book)
        return book
    }

    /// Deadlines for jobs, as JSON.
    static let past = JobText.json(Timestamp.wallClock.later(by: .seconds(-3_600)).rfc3339)
    static let future = JobText.json(Timestamp.wallClock.later(by: .seconds(3_600)).rfc3339)
}
