/// The error for a message that is not a valid job. It lists the faults with their fields.
///
/// Strings from the message are shortened, because they are repeated in a result event, a header and the log.
public struct JobRejection: Error, Hashable, CustomStringConvertible {
    public struct Fault: Sendable, Hashable {
        /// The name of the field, with its path if it is inside another field, for example `recipients[3].token`.
        public let field: String
        public let problem: String

        public init(field: String, problem: String) {
            // An empty field name is shown as a pair of quotes.
            self.field = field.isEmpty ? "\"\"" : field.abbreviated(toBytes: JobRejection.fieldBytes)
            self.problem = problem.abbreviated(toBytes: JobRejection.problemBytes)
        }
    }

    private static let fieldBytes = 100
    /// The maximum length of an unknown field's name in the log, in bytes: eight ASCII characters and an ellipsis.
    private static let loggedNameBytes = 11
    private static let problemBytes = 500
    private static let idBytes = 255
    private static let descriptionBytes = 2_000

    /// The job's id, or `nil` if it is missing or could not be read.
    public let jobID: String?
    /// The job's app, or `nil` if it is missing or could not be read.
    public let app: String?
    public let faults: [Fault]

    public init(jobID: String?, app: String?, faults: [Fault]) {
        self.jobID = jobID?.abbreviated(toBytes: Self.idBytes)
        self.app = app?.abbreviated(toBytes: JobLimits.appBytes)
        self.faults = faults
    }

    /// The description for the log. It shortens the names of unknown members, because a publisher may have put a token
    /// or a ref in place of a name by mistake.
    package var logged: String {
        JobRejection(
            jobID: nil, app: nil,
            faults: faults.map { fault in
                guard fault.problem.hasPrefix("is not a field") else { return fault }
                let parts = fault.field.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
                let place = parts.count == 2 && fault.field.hasPrefix("recipients[") ? "\(parts[0])." : ""
                let name = place.isEmpty ? fault.field : String(parts[1])
                return Fault(
                    field: place + name.abbreviated(toBytes: Self.loggedNameBytes), problem: fault.problem)
            }
        ).description
    }

    /// The faults in one line: `recipients: must not be empty; payload: is required`.
    public var description: String {
        faults.map { "\($0.field): \($0.problem)" }.joined(separator: "; ").abbreviated(toBytes: Self.descriptionBytes)
    }
}

extension String {
    /// Returns the string with at most `limit` bytes of UTF-8. A shortened string ends with an ellipsis.
    fileprivate func abbreviated(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit - "…".utf8.count)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end] + "…"
    }
}

extension Job {
    package func rejected(_ field: String, _ problem: String) -> JobRejection {
        JobRejection(jobID: fields.id, app: fields.app, faults: [.init(field: field, problem: problem)])
    }
}
