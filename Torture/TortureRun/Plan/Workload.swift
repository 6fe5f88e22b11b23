package import PushModel
import PushTestSupport

/// What is published: the same jobs for the same seed, each by its number.
package struct Workload: Sendable {
    package struct AppPlan: Sendable, Hashable {
        package let bundleID: String
        package let team: String
        package let usesCertificate: Bool
    }

    package static let apps = [
        AppPlan(bundleID: "com.example.shop", team: "TEAM000001", usesCertificate: false),
        AppPlan(bundleID: "com.example.news", team: "TEAM000002", usesCertificate: false),
        AppPlan(bundleID: "com.example.chat", team: "TEAM000003", usesCertificate: false),
        AppPlan(bundleID: "com.example.bank", team: "TEAM000004", usesCertificate: true),
    ]

    let seed: UInt64
    let profile: Profile

    package init(seed: UInt64, profile: Profile) {
        self.seed = seed
        self.profile = profile
    }

    package func job(_ number: Int) -> JobPlan {
        var generator = SeededGenerator(seed: seed ^ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        let size =
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<4: 1
            case 4..<8: Int.random(in: 2...50, using: &generator)
            default: Int.random(in: 51...profile.mostRecipients, using: &generator)
            }
        let lane: Lane =
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<3: .urgent
            case 3..<8: .normal
            default: .bulk
            }
        let app = Int.random(in: 0..<Self.apps.count, using: &generator)
        let isAtMostOnce = Int.random(in: 0..<10, using: &generator) < 3
        return JobPlan(
            number: number, app: Self.apps[app].bundleID, lane: lane, isAtMostOnce: isAtMostOnce,
            recipients: (0..<size).map { _ in recipient(&generator) })
    }

    private func recipient(_ generator: inout SeededGenerator) -> RecipientKind {
        switch Int.random(in: 0..<10_000, using: &generator) {
        case 0..<200: .dead
        case 200..<220: .refusedForNow
        case 220..<230: .bad
        case 230..<232 where profile.hasSilentTokens: .silent
        case 300..<1_300: .slow
        default: .plain
        }
    }
}

/// A recipient by what APNs will say of it.
package enum RecipientKind: String, Sendable, CaseIterable {
    case plain, slow, dead, bad
    /// 503, however often it is tried.
    case refusedForNow
    /// Never answered.
    case silent

    /// What its device token begins with (docs/simulator.md).
    var prefix: String {
        switch self {
        case .plain: "a1100000"
        case .slow: "de1ade1a0030"
        case .dead: "dead0410"
        case .bad: "bad00400"
        case .refusedForNow: "bad00503"
        case .silent: "deafdeaf"
        }
    }
}

package struct JobPlan: Sendable {
    package let number: Int
    package let app: String
    package let lane: Lane
    package let isAtMostOnce: Bool
    package let recipients: [RecipientKind]

    package var id: String { "torture-\(number)" }

    package func token(_ index: Int) -> String {
        RecipientID(job: number, index: index).token(recipients[index])
    }

    package var json: String {
        let tokens = recipients.indices.map { "\"\(token($0))\"" }.joined(separator: ",")
        return """
            {"id":"\(id)","app":"\(app)","payload":{"aps":{"alert":"job \(number)"}}\
            \(isAtMostOnce ? #","at_most_once":true"# : ""),"recipients":[\(tokens)]}
            """
    }
}

/// Which recipient of which job; its device token says it, too, so that what APNs sees can be put down to it.
package struct RecipientID: Hashable, Sendable, Comparable, CustomStringConvertible {
    private static let mostInJob = 1_024

    package let job: Int
    package let index: Int

    package init(job: Int, index: Int) {
        self.job = job
        self.index = index
    }

    package init?(token: String) {
        guard token.utf8.count == 64, let number = Int(token.suffix(15), radix: 16) else { return nil }
        self.init(job: number / Self.mostInJob, index: number % Self.mostInJob)
    }

    func token(_ kind: RecipientKind) -> String {
        let number = String(job * Self.mostInJob + index, radix: 16)
        return kind.prefix + String(repeating: "0", count: 64 - kind.prefix.count - number.count) + number
    }

    package static func < (one: Self, other: Self) -> Bool {
        (one.job, one.index) < (other.job, other.index)
    }

    package var description: String { "recipient \(index) of job torture-\(job)" }
}
