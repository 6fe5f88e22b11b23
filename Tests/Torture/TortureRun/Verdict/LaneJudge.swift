import PushModel

/// The judge of the lanes while no fault has effects. Urgent and normal pushes must be prompt, and no app of a lane may
/// wait much longer than the lane's other apps.
///
/// In a run with faults, these are the pushes of the last round. It is published while two rate-limited apps have
/// thousands of waiting recipients.
struct LaneJudge {
    /// The time after a fault in which recipients are not judged, in milliseconds. Workers need it to reconnect and to
    /// send what has piled up.
    static let calming: Int64 = 30_000
    /// The time within which 99 % of a lane's recipients must have an outcome, in milliseconds. A busy machine with two
    /// cores needs up to several seconds. Behind the jobs of the rate-limited apps, recipients would wait for a minute.
    private static let limits: [Lane: Int64] = [.urgent: 5_000, .normal: 15_000]
    /// The maximum by which the median of an app may exceed the median of its lane, in milliseconds.
    private static let mostBehind: Int64 = 2_000
    /// The minimum number of recipients of which a percentile is judged.
    private static let leastInLane = 200
    /// The minimum number of recipients of which an app's median is judged.
    private static let leastOfApp = 50
    /// The maximum number of recipients of a judged job. Workers split larger jobs.
    private static let largestJob = 100

    /// The time until the first outcome of a recipient, in milliseconds.
    private struct Wait {
        let time: Int64
        let recipient: RecipientID
    }

    private(set) var findings: [Finding] = []
    private(set) var unjudged: [Unjudged] = []
    private(set) var tally: [Lane: LaneTally] = [:]

    init(_ record: TortureRecord, _ histories: [History]) {
        let effects = record.faults.filter(\.fault.delaysUnlimitedPushes).map { fault in
            fault.start...max(fault.start, fault.end) + Self.calming
        }
        for lane in Lane.allCases {
            var waits: [String: [Wait]] = [:]
            let longest = Self.limits.values.max() ?? 0
            for history in histories where history.job.lane == lane && Self.isOrdinary(history) {
                guard let wait = history.wait else { continue }
                // The wait does not affect the choice, because slow recipients would otherwise be excused more often.
                let time = history.job.published...history.job.published + longest
                if effects.contains(where: { $0.overlaps(time) }) { continue }
                waits[history.job.app, default: []].append(Wait(time: wait, recipient: history.recipient))
            }
            judge(lane, waits.mapValues { $0.sorted { $0.time < $1.time } })
        }
    }

    /// Returns whether a recipient is sent to as soon as a worker gets its job. Services other than APNs are left out,
    /// because they may demand a pause of a minute.
    private static func isOrdinary(_ history: History) -> Bool {
        var traits = history.job.traits
        (traits.identity, traits.isAtMostOnce) = (JobTraits().identity, false)
        return history.kind == .plain && history.job.output == .apns && traits == JobTraits() && history.isConfirmed
            && history.job.recipients.count <= largestJob && Workload.isUnlimited(history.job.app)
    }

    private mutating func judge(_ lane: Lane, _ waits: [String: [Wait]]) {
        let all = waits.values.joined().sorted { $0.time < $1.time }
        guard all.count >= Self.leastInLane else {
            let text = "lane \(lane.rawValue) has \(all.count) recipients that no fault affects, of \(Self.leastInLane)"
            if Self.limits[lane] != nil { unjudged.append(Unjudged(.lanesArePrompt, text)) }
            unjudged.append(Unjudged(.appsAreEqual, text))
            return
        }
        let late = all[min(all.count - 1, all.count * 99 / 100)].time
        if let limit = Self.limits[lane], late > limit {
            let tooLate = all.drop { $0.time <= limit }
            let apps = waits.map { app, waits in "\(app) \(waits.count { $0.time > limit })" }.sorted()
            let text =
                "99 % of lane \(lane.rawValue) within \(late) ms, at most \(limit); \(tooLate.count) of \(all.count) took "
                + "longer: \(apps.joined(separator: ", "))"
            findings.append(Finding(.lanesArePrompt, tooLate.first?.recipient, text))
        }
        let median = all[all.count / 2].time
        let medians = waits.filter { $0.value.count >= Self.leastOfApp }.mapValues { $0[$0.count / 2].time }
        guard medians.count > 1, let slowest = medians.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else {
            let text = "lane \(lane.rawValue) has \(medians.count) apps with \(Self.leastOfApp) recipients"
            unjudged.append(Unjudged(.appsAreEqual, text))
            return tally[lane] = LaneTally(recipients: all.count, late: late, median: median)
        }
        tally[lane] = LaneTally(recipients: all.count, late: late, median: median, slowest: slowest)
        if slowest.value > median + Self.mostBehind {
            let text =
                "half of \(slowest.key) in lane \(lane.rawValue) within \(slowest.value) ms, half of the lane within "
                + "\(median) ms"
            findings.append(Finding(.appsAreEqual, nil, text))
        }
    }
}

/// The times from publishing to the first outcome in a lane while no fault has effects, in milliseconds.
package struct LaneTally: Sendable, Equatable {
    package let recipients: Int
    /// The time within which 99 % of the recipients had an outcome.
    package let late: Int64
    package let median: Int64
    /// The app with the largest median, or `nil` if the apps cannot be compared.
    package let slowestApp: String?
    package let slowestMedian: Int64

    init(recipients: Int, late: Int64, median: Int64, slowest: (key: String, value: Int64)? = nil) {
        self.recipients = recipients
        self.late = late
        self.median = median
        slowestApp = slowest?.key
        slowestMedian = slowest?.value ?? median
    }
}

extension Fault {
    /// Whether the fault may delay pushes of apps without a rate limit to APNs.
    fileprivate var delaysUnlimitedPushes: Bool {
        switch self {
        case .setPace, .campaign, .streamLimit(100...): false
        default: output == nil || output == .apns
        }
    }
}
