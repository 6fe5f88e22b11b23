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

/// Which recipient of which job; its device token says it, too, so that what APNs sees can be put down to it.
package struct RecipientID: Hashable, Sendable, Comparable, CustomStringConvertible {
    private static let mostInJob = 8_192

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

    /// What its publisher calls it, in so many bytes.
    func ref(_ bytes: Int) -> String {
        let name = "\(job)/\(index)/"
        return name + String(repeating: "r", count: max(0, bytes - name.utf8.count))
    }

    /// Whether a publisher may have called it so.
    func isCalled(_ ref: String) -> Bool { ref.hasPrefix("\(job)/\(index)/") }

    package static func < (one: Self, other: Self) -> Bool {
        (one.job, one.index) < (other.job, other.index)
    }

    package var description: String { "recipient \(index) of job torture-\(job)" }
}
