/// The kind of a recipient. It determines the service's answer.
package enum RecipientKind: String, Sendable, CaseIterable {
    case plain, slow, dead, bad
    /// The service refuses the recipient temporarily on every attempt.
    case refusedForNow
    /// The service never answers pushes to the recipient.
    case silent
}

/// The identity of a recipient: its job and its index in the job. Its address encodes the identity, so that requests to
/// a service can be attributed to a recipient.
package struct RecipientID: Hashable, Sendable, Comparable, CustomStringConvertible {
    private static let mostInJob = 8_192

    package let job: Int
    package let index: Int

    package init(job: Int, index: Int) {
        self.job = job
        self.index = index
    }

    /// Creates an identity from a number.
    ///
    /// - Parameter number: the recipient's number among all recipients of all jobs.
    init(number: Int) { self.init(job: number / Self.mostInJob, index: number % Self.mostInJob) }

    var number: Int { job * Self.mostInJob + index }

    /// Returns the recipient's number in hex, with leading zeros.
    func hexadecimal(digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// Returns a `ref` for the recipient with a length of at least `bytes`.
    func ref(_ bytes: Int) -> String {
        let name = "\(job)/\(index)/"
        return name + String(repeating: "r", count: max(0, bytes - name.utf8.count))
    }

    /// Returns whether a `ref` belongs to the recipient.
    func isCalled(_ ref: String) -> Bool { ref.hasPrefix("\(job)/\(index)/") }

    package static func < (one: Self, other: Self) -> Bool {
        (one.job, one.index) < (other.job, other.index)
    }

    package var description: String { "recipient \(index) of job torture-\(job)" }
}
