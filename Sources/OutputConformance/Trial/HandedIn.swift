import PushModel

/// A record of a job that was sent to an output. It holds no reference to the job, because a rule checks that the
/// output releases the job.
struct HandedIn: Sendable {
    let number: Int
    let id: String
    let recipients: Int
    let recorder: RecordingSink

    init(_ job: SampleJob, _ recorder: RecordingSink) {
        number = job.number
        id = job.id
        recipients = job.recipients.count
        self.recorder = recorder
    }

    /// Whether each recipient has at least one outcome.
    var isOver: Bool { recorder.reported(of: number) >= recipients }

    /// A line of text for each recipient that does not have exactly one outcome.
    var problems: [String] {
        var found = Array(repeating: [Outcome.Verdict](), count: recipients)
        for entry in recorder.entries where entry.number == number && found.indices.contains(entry.recipient) {
            found[entry.recipient].append(entry.verdict)
        }
        return found.enumerated().filter { $1.count != 1 }.map { recipient, verdicts in
            let list = verdicts.isEmpty ? "" : ": \(verdicts.map { "\($0)" }.joined(separator: ", "))"
            return "\(id), recipient \(recipient): \(verdicts.count) outcomes\(list)"
        }
    }
}
