import PushModel
import Routing

/// A tenant of the simulated fleet: one app and its traffic.
package struct Tenant {
    let number: Int
    /// The id of the credential, which several tenants may share.
    let credential: String
    /// The mean number of jobs in an hour.
    let jobsPerHour: Double
    /// The largest number of recipients in a job.
    let recipients: Int
    /// The share of urgent and of bulk jobs.
    let urgentShare, bulkShare: Double
    /// The share of recipients whose token is dead, and of those whose pushes are refused with the credential.
    var deadShare = 0.0
    /// The share of jobs with a `send_at`, and of jobs that are sent at most once.
    var scheduledShare = 0.0
    var onceShare = 0.0
    var poisonShare = 0.0
    /// The rate limit in pushes per second, or `nil` for none.
    var rate: Int?
    var isPaused = false

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
            pace: rate.map { AppRateLimit(rate: $0) })
    }

    /// Returns the team of a credential. Each credential has its own team.
    static func team(of credential: String) -> String {
        "TEAM" + String(repeating: "0", count: 6 - credential.count) + credential.uppercased()
    }

    /// Whether the tenant's pushes in a lane should be sent at once if nothing else is wrong.
    func isHealthy(_ lane: Lane) -> Bool { (rate == nil || lane == .urgent) && !isPaused && poisonShare == 0 }
}
