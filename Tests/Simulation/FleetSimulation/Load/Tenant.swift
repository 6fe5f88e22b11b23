import PushModel
import Routing

/// A tenant of the simulated fleet: one app and its traffic.
package struct Tenant {
    package let number: Int
    /// The id of the credential, which several tenants may share.
    let credential: String
    /// The mean number of jobs per hour.
    let jobsPerHour: Double
    /// The maximum number of recipients of a job.
    let recipients: Int
    /// The shares of urgent and of bulk jobs.
    let urgentShare, bulkShare: Double
    /// The share of recipients whose token is dead.
    var deadShare = 0.0
    /// The share of jobs with a `send_at`.
    package var scheduledShare = 0.0
    /// The share of jobs with `at_most_once`.
    var onceShare = 0.0
    /// The share of recipients whose pushes the provider refuses as if it refused the credential.
    var poisonShare = 0.0
    /// The rate limit in pushes per second, or `nil` for none.
    package var rate: Int?
    /// Whether the rate limit includes urgent pushes.
    package var rateIncludesUrgent = false
    var isPaused = false
    /// The number of simultaneous requests that the provider accepts with the tenant's credential.
    package var streams = 1_000
    /// The time until the provider answers the tenant's pushes, in milliseconds, or `nil` for the provider's mean time.
    package var answerMilliseconds: Int64?
    /// Whether the provider is overloaded at the first request of each push.
    package var isRetriedOnce = false

    package init(
        number: Int, credential: String, jobsPerHour: Double = 100, recipients: Int = 1, urgentShare: Double = 0,
        bulkShare: Double = 0
    ) {
        self.number = number
        self.credential = credential
        self.jobsPerHour = jobsPerHour
        self.recipients = recipients
        self.urgentShare = urgentShare
        self.bulkShare = bulkShare
    }

    /// The app's bundle id.
    var bundleID: String { "com.example.app\(number)" }

    var app: App {
        App(
            bundleID: bundleID, accounts: ["apns": AppAccount(Self.team(of: credential))], isPaused: isPaused,
            pace: rate.map { AppRateLimit(rate: $0, includesUrgent: rateIncludesUrgent) })
    }

    /// Returns the team of a credential. Each credential has its own team.
    static func team(of credential: String) -> String {
        "TEAM" + String(repeating: "0", count: 6 - credential.count) + credential.uppercased()
    }

    /// Returns whether the tenant's pushes in a lane must not wait if there is no fault.
    func isHealthy(_ lane: Lane) -> Bool { (rate == nil || lane == .urgent) && !isPaused && poisonShare == 0 }
}
