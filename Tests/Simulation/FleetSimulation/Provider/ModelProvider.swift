/// A model of APNs: it answers each request after a while, and counts what it has accepted.
///
/// The device token of a simulated push contains its app, so that answers can depend on the app.
final class ModelProvider {
    /// The answer to one request.
    enum Answer {
        case status(Int, reason: String?)
        /// The request gets no answer.
        case silence
    }

    private let timeline: Timeline
    private let dice: Dice
    /// The mean time until an answer, in milliseconds.
    var meanMilliseconds: Int64 = 40
    /// Whether connections can be made.
    var isReachable = true
    /// Whether requests get no answers.
    var isSilent = false
    /// The share of requests that are answered 503.
    var overload = 0.0
    /// The credentials that the provider refuses.
    var refusedCredentials: Set<String> = []
    /// The apps for which the provider refuses every credential.
    var refusedApps: Set<Int> = []
    /// The times of the accepted requests, in milliseconds since the start of the history, by device token.
    private(set) var accepted: [SimulatedToken: [Int64]] = [:]
    private(set) var requests = 0

    init(_ timeline: Timeline, _ dice: Dice) {
        self.timeline = timeline
        self.dice = dice
    }

    /// Returns the answer to a request and the time until it arrives, in microseconds.
    func answer(_ token: SimulatedToken, credential: String) -> (answer: Answer, microseconds: Int64) {
        requests += 1
        let time = 2_000 + dice.wait(mean: meanMilliseconds * 1_000)
        if isSilent { return (.silence, 0) }
        if refusedCredentials.contains(credential) { return (.status(403, reason: "InvalidProviderToken"), time) }
        if refusedApps.contains(token.app) { return (.status(403, reason: "TopicDisallowed"), time) }
        if overload > 0, dice.happens(overload) { return (.status(503, reason: "ServiceUnavailable"), time) }
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
