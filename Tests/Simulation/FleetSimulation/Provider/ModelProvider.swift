/// A model of APNs. It answers each request after a random time, and records the times of accepted requests.
///
/// A ``SimulatedToken`` contains the app, so that the answer can depend on the app.
final class ModelProvider {
    /// The answer to one request.
    enum Answer {
        case status(Int, reason: String?)
        /// The request gets no answer.
        case silence
    }

    private let tenants: [Tenant]
    private let timeline: Timeline
    private let dice: Dice
    private static let usualMilliseconds: Int64 = 40
    /// The mean time until an answer, in milliseconds.
    var meanMilliseconds = ModelProvider.usualMilliseconds
    /// Whether new connections succeed.
    var isReachable = true
    /// Whether requests get no answers.
    var isSilent = false
    /// The share of requests that are answered with 503.
    var overload = 0.0
    /// The credentials that the provider refuses.
    var refusedCredentials: Set<String> = []
    /// The apps whose topic the provider refuses.
    var refusedApps: Set<Int> = []
    /// The times of the accepted requests, in milliseconds since the start of the history, by device token.
    private(set) var accepted: [SimulatedToken: [Int64]] = [:]
    private(set) var requests = 0
    /// The pushes that were answered 503 because their tenant's pushes are retried once.
    private var retried: Set<SimulatedToken> = []

    init(_ tenants: [Tenant], _ timeline: Timeline, _ dice: Dice) {
        self.tenants = tenants
        self.timeline = timeline
        self.dice = dice
    }

    /// Ends all faults.
    func recover() {
        (meanMilliseconds, isReachable, isSilent, overload) = (Self.usualMilliseconds, true, false, 0)
        (refusedCredentials, refusedApps) = ([], [])
    }

    /// Returns the number of simultaneous requests with a credential that the provider accepts on a connection.
    func streams(of credential: String) -> Int {
        tenants.filter { $0.credential == credential }.map(\.streams).min() ?? 1_000
    }

    /// Returns the answer to a request and the time until it arrives, in microseconds.
    func answer(_ token: SimulatedToken, credential: String) -> (answer: Answer, microseconds: Int64) {
        requests += 1
        let tenant = tenants[token.app]
        let time = tenant.answerMilliseconds.map { $0 * 1_000 } ?? (2_000 + dice.wait(mean: meanMilliseconds * 1_000))
        if isSilent { return (.silence, 0) }
        if refusedCredentials.contains(credential) { return (.status(403, reason: "InvalidProviderToken"), time) }
        if refusedApps.contains(token.app) { return (.status(403, reason: "TopicDisallowed"), time) }
        if overload > 0, dice.happens(overload) { return (.status(503, reason: "ServiceUnavailable"), time) }
        if tenant.isRetriedOnce, retried.insert(token).inserted {
            return (.status(503, reason: "ServiceUnavailable"), time)
        }
        switch token.fate {
        case .good: break
        case .dead: return (.status(410, reason: "Unregistered"), time)
        case .bad: return (.status(400, reason: "BadDeviceToken"), time)
        case .refusesCredential: return (.status(403, reason: "InvalidProviderToken"), time)
        }
        accepted[token, default: []].append(timeline.milliseconds)
        return (.status(200, reason: nil), time)
    }
}
