import PushModel
import PushSending
import PushTestSupport

extension QueuedJob {
    /// Returns a job in this lane for the tokens `aa`, `bb`, …
    static func sample(recipients: Int = 1, lane: Lane = .normal) throws -> QueuedJob {
        let tokens = (0..<recipients).map { "\"\(String(0xAA + 0x11 * $0, radix: 16))\"" }
        let text = Job.sampleText(recipients: "[\(tokens.joined(separator: ","))]", [])
        return QueuedJob(RoutedJob(try Job.read(text), lane: lane), sink: OutcomeRecorder())
    }
}
