import Routing
import Store

/// The judge of an app's last campaign, which is published after all faults. Workers must send it at the app's rate:
/// never faster, and only slightly slower while many recipients wait.
struct LastCampaignJudge {
    /// The length of the windows in which requests are counted, in seconds.
    static let window: Int64 = 20
    private static let tolerance = 1.1
    private static let least = 0.8
    /// The burst that an app may send after a time without work, in seconds of its rate (docs/tenants.md).
    private static let burst = 1
    /// The maximum time that a worker needs to reconnect to the broker after the last fault, in seconds. During this
    /// time, the worker's share of the rate is unused.
    private static let reconnecting: Int64 = 30
    /// The maximum time, in seconds, for which a cluster keeps messages of a delay queue after one of its nodes failed.
    /// Recipients that wait for the rate limit wait in such a queue.
    static let deadLettering: Int64 = 360
    /// The divisor that determines the last part of a campaign: its last quarter. A low rate is accepted in this part,
    /// because only some of the workers may still have recipients.
    private static let rest = 4

    private(set) var findings: [Finding] = []
    private(set) var unjudged: [Unjudged] = []
    /// The number of requests in the fullest window, in percent of the maximum, or `nil` if there was no last campaign.
    private(set) var fullest: Int?
    /// The number of requests in the emptiest window, in percent of the number that the app's rate allows, or `nil` if
    /// no window is judged.
    private(set) var emptiest: Int?

    /// Judges the last campaign of an app.
    ///
    /// - Parameter jobs: the histories of the app's recipients, by job.
    init(_ app: Int, _ jobs: [[History]], _ record: TortureRecord) {
        let campaign = jobs.filter {
            let number = $0[0].recipient.job
            return JobNumber.isOfCampaign(number) && JobNumber.campaign(of: number) >= JobNumber.lastCampaign(0)
        }
        let paces = record.faults.filter { if case .setPace(app, _) = $0.fault { true } else { false } }
        let name = Workload.apps[app].bundleID
        guard let published = campaign.map({ $0[0].job.published }).min() else {
            unjudged.append(Unjudged(.rateIsUsed, "\(name) has no last campaign"))
            return
        }
        guard let last = paces.max(by: { $0.end < $1.end }), last.note == nil, last.end < published,
            case .setPace(_, let pace?) = last.fault
        else {
            unjudged.append(Unjudged(.rateIsUsed, "the rate of \(name) in its last campaign is unknown"))
            return
        }
        let requests = RequestCount(jobs, isUrgentCounted: pace.includesUrgent)
        let firsts = campaign.joined().map { history in
            history.sightings.lazy.filter { $0.what == .arrived }.map { $0.at / 1_000 }.min() ?? .max
        }.sorted()
        let begin = published / 1_000
        let nodes = record.faults.filter(\.fault.affectsNode).map { $0.end / 1_000 + Self.deadLettering }
        let calm = max(begin, last.end / 1_000 + Self.reconnecting, nodes.max() ?? 0)
        let worth = pace.rate * Int(Self.window)
        let most =
            Int(Double(worth) * Self.tolerance) + pace.rate * Self.burst
            + Workload.mostPacedAtOnce * record.limits.workers
        // The second since 1970 in which the last part of the campaign begins.
        let enough = firsts[firsts.count - 1 - firsts.count / Self.rest]
        let end = max(requests.last ?? begin, begin + Self.window)
        var (high, low): ((count: Int, at: Int64), (count: Int, at: Int64)?) = ((0, begin), nil)
        for first in begin...end {
            let count = requests.all(in: first..<first + Self.window)
            if count > high.count { high = (count, first) }
            if first > calm, first + Self.window <= min(enough, end + 1), count < low?.count ?? .max {
                low = (count, first)
            }
        }
        fullest = high.count * 100 / most
        emptiest = low.map { $0.count * 100 / worth }
        if low == nil {
            let text =
                "the last campaign of \(name) had no window of \(Self.window) s in which all workers were connected and "
                + "enough recipients waited"
            unjudged.append(Unjudged(.rateIsUsed, text))
        }
        if high.count > most {
            findings.append(Finding(.paced, nil, text(name, high, "at most \(most)")))
        }
        if let low, Double(low.count) < Double(worth) * Self.least {
            findings.append(
                Finding(
                    .rateIsUsed, nil, text(name, low, "at least \(Int(Double(worth) * Self.least)) while more wait")))
        }
    }

    private func text(_ app: String, _ window: (count: Int, at: Int64), _ bound: String) -> String {
        "\(app) got \(window.count) requests of its last campaign and others in \(Self.window) s from "
            + "\(window.at * 1_000), \(bound)"
    }
}
