import PushModel

extension Trial {
    /// Jobs of all kinds, on good days and on those bad ones that take no time, and at last a stop.
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

    /// What a deadline may look like in a job.
    static let past = JobText.json(Timestamp.wallClock.later(by: .seconds(-3_600)).rfc3339)
    static let future = JobText.json(Timestamp.wallClock.later(by: .seconds(3_600)).rfc3339)
}
