import APNSOutput
import PushModel
import PushTestSupport

extension PreparedJob {
    /// Returns a job in this lane for the tokens `aa`, `bb`, …
    static func sample(
        recipients: Int = 1, lane: Lane = .normal, _ members: String...
    ) throws -> PreparedJob {
        let tokens = (0..<recipients).map { "\"\(String(0xAA + 0x11 * $0, radix: 16))\"" }
        let text = Job.sampleText(recipients: "[\(tokens.joined(separator: ","))]", members)
        return try PreparedJob(RoutedJob(Job.read(text), lane: lane), sink: OutcomeRecorder())
    }
}
