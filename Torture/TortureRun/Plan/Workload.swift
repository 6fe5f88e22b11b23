import PushModel
import TestSupport

/// What is published: the same jobs for the same seed, each by its number.
package struct Workload: Sendable {
    package struct AppPlan: Sendable, Hashable {
        package let bundleID: String
        package let team: String
        package let usesCertificate: Bool

        /// What others call it than Apple.
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
    /// Those that are sent to as fast as may be; the others have a rate now and then.
    private static let unpacedApps = 0..<4
    package static let pacedApps = 4..<6

    /// Of each job of a flood.
    static let floodRecipients = 100
    /// Of each job of a campaign, and the most of a job of a paced app that goes whole.
    package static let mostPacedAtOnce = 100

    let seed: UInt64
    let profile: Profile

    package init(seed: UInt64, profile: Profile) {
        self.seed = seed
        self.profile = profile
    }

    package func job(_ number: Int) -> JobPlan {
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
            // Mostly anything, often at the very edge.
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
        // Jobs of thousands are to be begun at once.
        if size > profile.largeJobs.upperBound { app %= Self.unpacedApps.count }
        if JobNumber.isOfCampaign(number) { return ofCampaign(number, &generator) }
        if JobNumber.isFlood(number) {
            return JobPlan(
                number: number, output: .apns, app: Self.apps[0].bundleID, lane: .normal,
                recipients: Array(repeating: .plain, count: Self.floodRecipients), traits: JobTraits())
        }
        let recipients = (0..<size).map { _ in recipient(&generator) }
        // One that is to be sent once is split into larger parts.
        let mayBeOnce = !Self.pacedApps.contains(app) || size <= Self.mostPacedAtOnce
        var traits =
            JobNumber.isGiant(number)
            ? Self.traits(ofGiant: number) : traits(of: number, mayBeOnce: mayBeOnce, &generator)
        traits.rate = ownRate(number, size, &generator)
        return JobPlan(
            number: number, output: output(of: number, traits), app: Self.apps[app].bundleID,
            // Whoever waits for a job of thousands does not wait behind others.
            lane: JobNumber.isGiant(number) ? .urgent : lane, recipients: recipients, traits: traits)
    }

    /// With the first job the run begins, and those of thousands are for the first output: their faults are.
    private func output(of number: Int, _ traits: JobTraits) -> OutputKind {
        guard number > 0, !JobNumber.isGiant(number), number % 400 != 120 else { return .apns }
        // A generator of its own: with another output a job is otherwise the same.
        var generator = SplitMix64(seed: ~seed ^ UInt64(number) &* 0xD1B5_4A32_D192_ED03)
        var chosen = Int.random(in: 0..<100, using: &generator)
        for output in OutputKind.allCases {
            chosen -= output.share
            guard chosen < 0 else { continue }
            // Apple's service, which wants a time to live, is known by its host only.
            return output == .webpush && traits.expireAfter == 0 ? .apns : output
        }
        return .apns
    }

    /// Mostly without an id, else with one, or to be sent once.
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

    /// A mistake: another job under the same id.
    private func follower(of job: JobPlan) -> JobPlan {
        var traits = JobTraits()
        (traits.identity, traits.isAtMostOnce, traits.flaw) = (job.traits.identity, job.traits.isAtMostOnce, .takenID)
        return JobPlan(
            number: JobNumber.follower(of: job.number), output: job.output, app: job.app, lane: job.lane,
            recipients: [.plain],
            traits: traits)
    }

    /// The first job is an ordinary one: with its outcome the run begins.
    private func traits(of number: Int, mayBeOnce: Bool, _ generator: inout SplitMix64) -> JobTraits {
        var traits = wishes(of: number, mayBeOnce: mayBeOnce, &generator)
        guard number > 0, !isOfCampaign(number) else { return traits }
        traits.slip = slip(of: number, traits)
        // Waiting, it goes through several queues.
        if traits.slip == .copyInAnotherLane, traits.sendAfter == nil {
            let wait = profile.sendAfter.lowerBound + number % 10 * 300
            traits.sendAfter = wait
            // A deadline counts from there.
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
        // Of what the broker drops its message id alone tells which it was.
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
            // All outcomes at once, and each as long as can be.
            (traits.refBytes, traits.cancelAfter) = (1_024, 0)
            traits.sendAfter = Int.random(in: profile.cancelledSendAfter, using: &generator)
            return traits
        }
        if share(3 * profile.oddity) { traits.refBytes = [10, 300, 1_024].randomElement(using: &generator) }
        traits.isAtMostOnce = share(30) && mayBeOnce
        traits.wantsProblemsOnly = share(15)
        traits.identity = share(50) ? .inBody : share(50) || traits.isAtMostOnce ? .asMessageID : .none
        // As those have that may expire.
        if number % 42 == 38 { traits.identity = .asMessageID }
        if share(10) { traits.sendAfter = Int.random(in: profile.sendAfter, using: &generator) }
        if traits.hasID {
            if share(4 * profile.oddity) {
                // Before it is to be sent, with time for all workers to come to know.
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

    /// Two large jobs in a row are parts of one campaign and share its id, where an id is not asked to be one job's.
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
