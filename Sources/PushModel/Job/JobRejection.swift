/// Why a message cannot be used as a job: every fault that was found, by field.
public struct JobRejection: Error, Hashable, CustomStringConvertible {
    public struct Fault: Sendable, Hashable {
        /// The field's name, with its place where it is inside another: `recipients[3].token`.
        public let field: String
        public let problem: String

        public init(field: String, problem: String) {
            self.field = field
            self.problem = problem
        }
    }

    /// The job's id and app as far as they could be read.
    public let jobID: String?
    public let app: String?
    public let faults: [Fault]

    public init(jobID: String?, app: String?, faults: [Fault]) {
        self.jobID = jobID
        self.app = app
        self.faults = faults
    }

    /// One line: `recipients: must not be empty; payload: is required`.
    public var description: String {
        faults.map { "\($0.field): \($0.problem)" }.joined(separator: "; ")
    }
}
