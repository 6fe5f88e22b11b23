import PushModel
import TestSupport

/// What is published for apps and jobs that have a rate.
extension Workload {
    private static let leastOwnRate = 5

    /// Of a campaign, each for another paced app: for the first output, so that its service is asked how fast they come.
    func ofCampaign(_ number: Int, _ generator: inout SplitMix64) -> JobPlan {
        let campaign = JobNumber.campaign(of: number)
        let app = Self.pacedApps.lowerBound + campaign % Self.pacedApps.count
        var traits = JobTraits()
        // The last ones are for counting.
        if campaign < JobNumber.lastCampaign(0) {
            if number % 3 == 1 { traits.expireAfter = .random(in: 5_000...60_000, using: &generator) }
            if number % 5 == 2 { traits.cancelAfter = .random(in: 1_000...20_000, using: &generator) }
            traits.isAtMostOnce = number % 4 == 3
        }
        return JobPlan(
            number: number, output: .apns, app: Self.apps[app].bundleID, lane: number % 4 == 0 ? .bulk : .normal,
            recipients: Array(repeating: .plain, count: Self.mostPacedAtOnce), traits: traits)
    }

    /// Of some that have many recipients.
    func ownRate(_ number: Int, _ size: Int, _ generator: inout SplitMix64) -> Int? {
        guard size >= 50, !JobNumber.isGiant(number),
            [4, 54, 74].contains(number % 100) || number % 200 == 50 || number % 800 == 120
        else { return nil }
        return max(Self.leastOwnRate, size / Int.random(in: profile.ownPace, using: &generator))
    }
}
