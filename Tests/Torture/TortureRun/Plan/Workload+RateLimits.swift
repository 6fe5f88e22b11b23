import PushModel
import TestSupport

/// Jobs with their own rate limit, and jobs for rate-limited apps.
extension Workload {
    private static let leastOwnRate = 5

    /// Returns a job of a campaign. Successive campaigns are for different rate-limited apps. All use APNs, whose
    /// simulator records the arrival of requests.
    func ofCampaign(_ number: Int, _ generator: inout SplitMix64) -> JobPlan {
        let campaign = JobNumber.campaign(of: number)
        let app = Self.pacedApps.lowerBound + campaign % Self.pacedApps.count
        var traits = JobTraits()
        // The last campaigns exist only to count requests, so their jobs have no special traits.
        if campaign < JobNumber.lastCampaign(0) {
            if number % 3 == 1 { traits.expireAfter = .random(in: 5_000...60_000, using: &generator) }
            if number % 5 == 2 { traits.cancelAfter = .random(in: 1_000...20_000, using: &generator) }
            traits.isAtMostOnce = number % 4 == 3
        }
        return JobPlan(
            number: number, output: .apns, app: Self.apps[app].bundleID, lane: number % 4 == 0 ? .bulk : .normal,
            recipients: Array(repeating: .plain, count: Self.mostPacedAtOnce), traits: traits)
    }

    /// The number of jobs in the last round. Each app without a rate limit has the same number in each lane.
    static let lastRound = 60 * unpacedApps.count * Lane.allCases.count
    private static let recipientsInLastRound = 5

    /// Returns a job of the last round. These jobs exist only to measure how long recipients wait, so they have no
    /// special traits.
    static func ofLastRound(_ number: Int) -> JobPlan {
        let index = JobNumber.indexInLastRound(number)
        return JobPlan(
            number: number, output: .apns, app: apps[index % unpacedApps.count].bundleID,
            lane: Lane.allCases[index / unpacedApps.count % Lane.allCases.count],
            recipients: Array(repeating: .plain, count: recipientsInLastRound), traits: JobTraits())
    }

    /// Returns whether an app never has a rate limit.
    static func isUnlimited(_ app: String) -> Bool { apps[unpacedApps].contains { $0.bundleID == app } }

    /// Returns a job's own rate limit in recipients per second, or `nil` for no limit. Only some jobs with many
    /// recipients have a rate limit.
    func ownRate(_ number: Int, _ size: Int, _ generator: inout SplitMix64) -> Int? {
        guard size >= 50, !JobNumber.isGiant(number),
            [4, 54, 74].contains(number % 100) || number % 200 == 50 || number % 800 == 120
        else { return nil }
        return max(Self.leastOwnRate, size / Int.random(in: profile.ownPace, using: &generator))
    }
}
