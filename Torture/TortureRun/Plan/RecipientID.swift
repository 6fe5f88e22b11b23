/// A recipient by what its service will say of it.
package enum RecipientKind: String, Sendable, CaseIterable {
    case plain, slow, dead, bad
    /// 503, however often it is tried.
    case refusedForNow
    /// Never answered.
    case silent
}

/// Which recipient of which job; its address says it, too, so that what its service sees can be put down to it.
package struct RecipientID: Hashable, Sendable, Comparable, CustomStringConvertible {
    private static let mostInJob = 8_192

    package let job: Int
    package let index: Int

    package init(job: Int, index: Int) {
        self.job = job
        self.index = index
    }

    /// - Parameter number: of all recipients of all jobs.
    init(number: Int) { self.init(job: number / Self.mostInJob, index: number % Self.mostInJob) }

    var number: Int { job * Self.mostInJob + index }

    /// Its number, with zeros before it.
    func hexadecimal(digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
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
