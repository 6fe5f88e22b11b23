import PushModel
import TestSupport

/// The jobs to publish. A job is determined by the seed and its number.
package struct Workload: Sendable {
    package struct AppPlan: Sendable, Hashable {
        package let bundleID: String
        package let team: String
        package let usesCertificate: Bool

        /// The name of the app at services other than Apple's.
        var name: String { String(bundleID.split(separator: ".").last ?? "") }
    }

    package static let apps = [
        AppPlan(bundleID: "com.example.shop", team: "TEAM000001", usesCertificate: false),
        AppPlan(bundleID: "com.example.news", team: "TEAM000002", usesCertificate: false),
        AppPlan(bundleID: "com.example.chat", team: "TEAM000003", usesCertificate: false),
        AppPlan(bundleID: "com.example.bank", team: "TEAM000004", usesCertificate: true),
        AppPlan(bundleID: "com.example.deals", team: "TEAM000005", usesCertificate: false),
        AppPlan(bundleID: "com.example.games", team: "TEAM000006", usesCertificate: false),
    ]
    /// The apps that never have a rate limit. ``pacedApps`` have a rate limit from time to time.
    static let unpacedApps = 0..<4
    package static let pacedApps = 4..<6

    /// The number of recipients of each job in a flood.
    static let floodRecipients = 100
    /// The number of recipients of each job in a campaign. It is also the maximum size of an `at_most_once` job for a
    /// rate-limited app.
    package static let mostPacedAtOnce = 100

    let seed: UInt64
    let profile: Profile

    package init(seed: UInt64, profile: Profile) {
        self.seed = seed
        self.profile = profile
    }

    package func job(_ number: Int) -> JobPlan {
        if JobNumber.isOfLastRound(number) { return Self.ofLastRound(number) }
        if JobNumber.isFollower(number) { return follower(of: job(JobNumber.followed(number))) }
        var generator = SplitMix64(seed: seed ^ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        var size =
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<4: 1
            case 4..<8: Int.random(in: 2...50, using: &generator)
            default: Int.random(in: 51...profile.mostRecipients, using: &generator)
            }
        if JobNumber.isStaged(number) {
            size = profile.stagedJob
        } else if JobNumber.isGiant(number) || number % 400 == 120 {
            size = Int.random(in: profile.giantJobs, using: &generator)
        } else if number % 100 == 50 || isOfCampaign(number) {
            let least = profile.largeJobs.lowerBound
            // Half of the sizes are at the lower end of the range.
            size = Int.random(
                in: Bool.random(using: &generator) ? least...least + 2 : profile.largeJobs, using: &generator)
        }
        let lane: Lane =
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<3: .urgent
            case 3..<8: .normal
            default: .bulk
            }
        var app = Int.random(in: 0..<Self.apps.count, using: &generator)
        // A job with thousands of recipients must start at once, so its app has no rate limit.
        if size > profile.largeJobs.upperBound { app %= Self.unpacedApps.count }
        if JobNumber.isOfCampaign(number) { return ofCampaign(number, &generator) }
        if JobNumber.isFlood(number) {
            return JobPlan(
                number: number, output: .apns, app: Self.apps[0].bundleID, lane: .normal,
                recipients: Array(repeating: .plain, count: Self.floodRecipients), traits: JobTraits())
        }
        let recipients = (0..<size).map { _ in recipient(&generator) }
        // Workers split an `at_most_once` job into larger parts than other jobs, so such a job is kept small if its app
        // has a rate limit.
        let mayBeOnce = !Self.pacedApps.contains(app) || size <= Self.mostPacedAtOnce
        var traits =
            JobNumber.isGiant(number)
            ? Self.traits(ofGiant: number) : traits(of: number, mayBeOnce: mayBeOnce, &generator)
        traits.rate = ownRate(number, size, &generator)
        return JobPlan(
            number: number, output: output(of: number, traits), app: Self.apps[app].bundleID,
            // A fault waits for the first push of a job with thousands of recipients, so the job must not wait behind
            // other jobs.
            lane: JobNumber.isGiant(number) ? .urgent : lane, recipients: recipients, traits: traits)
    }

    /// Returns the output of a job. The first job, whose outcome starts the run, uses APNs. Jobs with thousands of
    /// recipients use APNs too, because the faults for them concern APNs.
    private func output(of number: Int, _ traits: JobTraits) -> OutputKind {
        guard number > 0, !JobNumber.isGiant(number), number % 400 != 120 else { return .apns }
        // The output has its own generator, so that the choice of an output does not change anything else in the job.
        var generator = SplitMix64(seed: ~seed ^ UInt64(number) &* 0xD1B5_4A32_D192_ED03)
        var chosen = Int.random(in: 0..<100, using: &generator)
        for output in OutputKind.allCases {
            chosen -= output.share
            guard chosen < 0 else { continue }
            // Apple's push service and its simulated persona reject a time to live of 0. Workers replace it with 1 only
            // for Apple's own host names, so such a job uses APNs.
            return output == .webpush && traits.expireAfter == 0 ? .apns : output
        }
        return .apns
    }

    /// Returns the traits of a job with thousands of recipients. Half of these jobs have no id, a quarter have an id in
    /// the body, and a quarter are `at_most_once` with a message id.
    private static func traits(ofGiant number: Int) -> JobTraits {
        var traits = JobTraits()
        switch number % 4 {
        case _ where JobNumber.isStaged(number): traits.identity = .none
        case 2: traits.identity = .inBody
        case 3: (traits.identity, traits.isAtMostOnce) = (.asMessageID, true)
        default: traits.identity = .none
        }
        return traits
    }

    /// Returns another job under the id of a job. Reusing an id is a mistake of the publisher.
    private func follower(of job: JobPlan) -> JobPlan {
        var traits = JobTraits()
        (traits.identity, traits.isAtMostOnce, traits.flaw) = (job.traits.identity, job.traits.isAtMostOnce, .takenID)
        return JobPlan(
            number: JobNumber.follower(of: job.number), output: job.output, app: job.app, lane: job.lane,
            recipients: [.plain],
            traits: traits)
    }

    /// Returns the traits of a job. The first job is an ordinary one, because the run begins with its outcome.
    private func traits(of number: Int, mayBeOnce: Bool, _ generator: inout SplitMix64) -> JobTraits {
        var traits = wishes(of: number, mayBeOnce: mayBeOnce, &generator)
        guard number > 0, !isOfCampaign(number) else { return traits }
        traits.slip = slip(of: number, traits)
        // With `send_at`, workers republish the job several times and must drop its `CC`, so that no further copies
        // arise.
        if traits.slip == .copyInAnotherLane, traits.sendAfter == nil {
            let wait = profile.sendAfter.lowerBound + number % 10 * 300
            traits.sendAfter = wait
            // The deadline counts from `send_at`.
            if let limit = traits.expireAfter, limit > 0 { traits.expireAfter = limit + wait }
        }
        let isOneJobs = traits.isAtMostOnce || profile.deduplicationWindow > 0 && traits.hasID
        traits.isFollowed =
            isOneJobs && traits.flaw == nil && traits.cancelAfter == nil && traits.expireAfter == nil
            && traits.slip != .expiration && number % 25 == 5
        return traits
    }

    private func slip(of number: Int, _ traits: JobTraits) -> Slip? {
        switch number % 42 {
        case 3, 17, 31: .brokersWord
        case 10 where traits.flaw == nil: .copiesForNobody
        case 24 where traits.flaw == nil: .copyInAnotherLane
        // If the broker drops a message, only its message id identifies the job.
        case 38 where traits.flaw == nil && traits.identity == .asMessageID: .expiration
        default: nil
        }
    }

    private func wishes(of number: Int, mayBeOnce: Bool, _ generator: inout SplitMix64) -> JobTraits {
        func share(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
        var traits = JobTraits()
        guard number > 0 else { return traits }
        guard !isOfCampaign(number) else {
            traits.sharesID = !number.isMultiple(of: 2)
            return traits
        }
        if share(2 * profile.oddity) {
            traits.identity = .asMessageID
            traits.flaw = JobFlaw.ofPublishers.randomElement(using: &generator)
            if traits.flaw == .longRef { traits.refBytes = .random(in: 1_025...2_000, using: &generator) }
            return traits
        }
        if number % 400 == 50 {
            // All outcomes of this job are reported at once, and each has the maximum length.
            (traits.refBytes, traits.cancelAfter) = (1_024, 0)
            traits.sendAfter = Int.random(in: profile.cancelledSendAfter, using: &generator)
            return traits
        }
        if share(3 * profile.oddity) { traits.refBytes = [10, 300, 1_024].randomElement(using: &generator) }
        traits.isAtMostOnce = share(30) && mayBeOnce
        traits.wantsProblemsOnly = share(15)
        traits.identity = share(50) ? .inBody : share(50) || traits.isAtMostOnce ? .asMessageID : .none
        // A job that may expire in the broker needs a message id.
        if number % 42 == 38 { traits.identity = .asMessageID }
        if share(10) { traits.sendAfter = Int.random(in: profile.sendAfter, using: &generator) }
        if traits.hasID {
            if share(4 * profile.oddity) {
                // The time from the cancellation to `send_at` is long enough for all workers to learn of the
                // cancellation.
                traits.cancelAfter = 0
                traits.sendAfter = Int.random(in: profile.cancelledSendAfter, using: &generator)
            } else if share(2 * profile.oddity) {
                traits.cancelAfter = Int.random(in: 0...3_000, using: &generator)
            }
            if share(5 * profile.oddity) { traits.publishAgainAfter = Int.random(in: 0...3_000, using: &generator) }
        }
        if share(5 * profile.oddity) {
            let wait = Int.random(in: profile.expireAfter, using: &generator)
            traits.expireAfter = share(20) ? 0 : (traits.sendAfter ?? 0) + wait
        }
        return traits
    }

    /// Returns whether a job is one of two consecutive large jobs that share one id. Such jobs exist only without
    /// de-duplication.
    private func isOfCampaign(_ number: Int) -> Bool {
        profile.deduplicationWindow == 0 && (20...21).contains(number % 100)
    }

    private func recipient(_ generator: inout SplitMix64) -> RecipientKind {
        switch Int.random(in: 0..<10_000, using: &generator) {
        case 0..<200: .dead
        case 200..<220: .refusedForNow
        case 220..<720: .bad
        case 720..<722 where profile.isPatient: .silent
        case 800..<1_800: .slow
        default: .plain
        }
    }
}
