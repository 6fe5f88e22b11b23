import PushModel
import Store
import Routing

/// The judge of rate limits. It compares the requests that services received with the rates of apps and jobs.
struct PaceJudge {
    /// A change to an app's rate limit. Workers may apply the change from `start` on. The database has committed the
    /// change by `end`.
    private struct Change {
        let start: Int64
        let end: Int64
        let pace: AppRateLimit?
    }

    /// The requests that arrived in one second, and the maximum for this second.
    private struct Second {
        var requests: [OutputKind: Int] = [:]
        /// The permitted number of requests, or `nil` for no limit.
        var allowed: Int?
    }

    /// The time until a changed rate applies, in milliseconds. Workers must learn of it, and requests that were already
    /// started must arrive.
    static let settling = Disturbances.cancellationTakes + HoldUps.comesIn
    /// The length of the windows in which an app's requests are counted, in seconds.
    private static let appWindow = 20
    /// The length of the windows in which a job's recipients are counted, in milliseconds.
    private static let jobWindow: Int64 = 10_000
    /// The factor by which a rate may be exceeded when workers join or leave. Until the other workers know of a new
    /// worker, they divide the rate by too small a number.
    private static let tolerance = 1.3
    /// The burst that an app may send after a time without work, in seconds of its rate (docs/tenants.md).
    private static let appBurst = 1
    /// The burst that a job with its own rate may send, in seconds of its rate.
    private static let jobBurst = 3
    /// The minimum number of recipients in a part of a job with its own rate.
    private static let smallestPart = 20
    /// The number of recipients in a part of an `at_most_once` job with its own rate.
    private static let partToBeSentOnce = 500

    private let record: TortureRecord
    private let disturbances: Disturbances
    private let holdUps: HoldUps

    private(set) var findings: [Finding] = []
    private(set) var unjudged: [Unjudged] = []
    /// The number of requests in the fullest window of each app, in percent of the maximum.
    private(set) var fullest: [String: Int] = [:]
    /// The number of requests in the emptiest window of each app's last campaign, in percent of the number that the
    /// app's rate allows.
    private(set) var emptiest: [String: Int] = [:]

    init(_ record: TortureRecord, _ histories: [History], _ disturbances: Disturbances) {
        self.record = record
        self.disturbances = disturbances
        holdUps = HoldUps(record.faults)
        let byJob = Dictionary(grouping: histories) { $0.recipient.job }
        for app in Workload.pacedApps {
            let jobs = byJob.values.filter { $0[0].job.app == Workload.apps[app].bundleID }
            judge(app, jobs)
            if fullest[Workload.apps[app].bundleID] == nil {
                let text = "\(Workload.apps[app].bundleID) had no window of \(Self.appWindow) s with a rate limit"
                unjudged.append(Unjudged(.paced, text))
            }
            let last = LastCampaignJudge(app, jobs, record)
            (findings, unjudged) = (findings + last.findings, unjudged + last.unjudged)
            fullest["\(Workload.apps[app].bundleID) in the end"] = last.fullest
            emptiest[Workload.apps[app].bundleID] = last.emptiest
        }
        let suspects = Set(record.suspects.compactMap(\.job))
        for (number, histories) in byJob.sorted(by: { $0.key < $1.key }) where !suspects.contains(number) {
            if let rate = histories[0].job.traits.rate { judge(number, rate, histories) }
        }
    }

    /// Returns the maximum number of worker processes between two times. Each may have started one part too many.
    private func lives(from start: Int64, to end: Int64) -> Int {
        record.limits.workers + 1 + disturbances.redeliveries(from: start, to: end)
    }

    // MARK: Apps

    private mutating func judge(_ app: Int, _ jobs: [[History]]) {
        let name = Workload.apps[app].bundleID
        let changes = record.faults.compactMap { record -> Change? in
            guard case .setPace(app, let pace) = record.fault else { return nil }
            // If the change failed, it is unknown whether the database committed it.
            return Change(start: record.start, end: record.note == nil ? record.end : .max, pace: pace)
        }.sorted { $0.start < $1.start }
        guard let begin = changes.first.map({ $0.start / 1_000 }) else { return }
        let all = RequestCount(jobs, isUrgentCounted: true)
        let others = RequestCount(jobs, isUrgentCounted: false)
        guard let end = all.last, end > begin else { return }
        let seconds = (begin...end).map { second -> Second in
            guard let pace = pace(at: second * 1_000, changes) else { return Second() }
            return Second(requests: (pace.includesUrgent ? all : others)[second], allowed: pace.rate)
        }
        var worst: (share: Int, text: String)?
        for first in 0..<max(0, seconds.count - Self.appWindow + 1) {
            let window = first..<first + Self.appWindow
            var requests: [OutputKind: Int] = [:]
            for second in seconds[window] { requests.merge(second.requests, uniquingKeysWith: +) }
            guard let most = most(of: requests, in: window, of: seconds, since: begin) else { continue }
            let count = requests.values.reduce(0, +)
            let share = count * 100 / max(1, most)
            guard share >= worst?.share ?? 0 else { continue }
            let text =
                "\(name) got \(count) requests in \(Self.appWindow) s from \((begin + Int64(first)) * 1_000), at most \(most)"
            worst = (share, text)
        }
        guard let worst else { return }
        fullest[name] = worst.share
        if worst.share > 100 { findings.append(Finding(.paced, nil, worst.text)) }
    }

    /// Returns the maximum number of requests in a window, or `nil` for no limit. The maximum includes requests that
    /// were sent before the window and held back.
    private func most(
        of requests: [OutputKind: Int], in window: Range<Int>, of seconds: [Second], since begin: Int64
    ) -> Int? {
        guard let rates = Self.rates(seconds[window]), let highest = rates.max() else { return nil }
        let start = (begin + Int64(window.lowerBound)) * 1_000
        let end = start + Int64(window.count) * 1_000
        var kept = 0
        for (output, count) in requests {
            guard let since = holdUps.start(output, at: start) else { continue }
            let before = window.lowerBound - Int((start - since + 999) / 1_000)
            guard before >= 0, let rates = Self.rates(seconds[before..<window.lowerBound]) else { return nil }
            kept += min(count, rates.reduce(0, +))
        }
        return Int(Double(rates.reduce(kept, +)) * Self.tolerance) + highest * Self.appBurst
            + Workload.mostPacedAtOnce * lives(from: start, to: end)
    }

    /// Returns the limits of some seconds, or `nil` if at least one second has no limit.
    private static func rates(_ seconds: ArraySlice<Second>) -> [Int]? {
        let rates = seconds.compactMap(\.allowed)
        return rates.count == seconds.count ? rates : nil
    }

    /// Returns the highest rate that a worker may apply to an app at the given time, or `nil` if a worker may apply no
    /// limit.
    private func pace(at time: Int64, _ changes: [Change]) -> AppRateLimit? {
        var believed: AppRateLimit?
        for change in changes.reversed() where change.start <= time + 1_000 {
            guard let pace = change.pace else { return nil }
            believed = AppRateLimit(
                rate: max(believed?.rate ?? 0, pace.rate),
                includesUrgent: (believed?.includesUrgent ?? true) && pace.includesUrgent)
            if change.end < time, disturbances.isKnown(since: change.end, at: time - HoldUps.comesIn) {
                return believed
            }
        }
        return nil
    }

    // MARK: Jobs

    /// Judges a job by the first request for each recipient. Retries do not count towards the job's rate.
    private mutating func judge(_ number: Int, _ rate: Int, _ histories: [History]) {
        let job = histories[0].job
        let part = job.traits.isAtMostOnce ? Self.partToBeSentOnce : max(Self.smallestPart, rate / 4)
        let times = histories.compactMap { $0.sightings.lazy.filter { $0.what == .arrived }.map(\.at).min() }.sorted()
        var first = 0
        for (last, time) in times.enumerated() {
            while times[first] <= time - Self.jobWindow { first += 1 }
            let requests = last - first + 1
            let start = time - Self.jobWindow
            guard requests > rate * Int(Self.jobWindow) / 1_000 else { continue }
            let windows = holdUps.overlap(job.output, from: start - Self.jobWindow, to: time) ? 2 : 1
            let paced = Double(rate * windows * Int(Self.jobWindow) / 1_000) * Self.tolerance
            let most = job.mostCopies * (Int(paced) + Self.jobBurst * rate + part * lives(from: start, to: time))
            guard requests > most else { continue }
            findings.append(
                Finding(
                    .paced, histories[0].recipient,
                    "\(requests) recipients of the job in \(Self.jobWindow / 1_000) s before \(time), at most \(most) at its rate of \(rate)"
                ))
            return
        }
    }
}
