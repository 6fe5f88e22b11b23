import PushModel
import PushTestSupport
import Testing

@Suite struct OutputTests {
    private static let now = Timestamp(seconds: 1_795_168_800)

    @Test func discardReportsEachRecipientAsSent() throws {
        let recorder = OutcomeRecorder()
        let job = RoutedJob(try Job.sample(recipients: #"["aa","bb"]"#))
        let output = DiscardOutput { Self.now }
        output.send(job, reportingTo: recorder)
        #expect(recorder.outcomes.map(\.verdict) == [.sent, .sent])
        #expect(recorder.outcomes.map(\.recipient) == [0, 1])
        #expect(recorder.outcomes.allSatisfy { $0.job === job && $0.at == Self.now && $0.judge == .martlet })
        #expect(output.name == "discard")
        #expect(!output.needsCredential)
    }

    @Test func theTopicIsTheJobsElseTheApp() throws {
        let output = DiscardOutput { Self.now }
        #expect(output.topic(for: try Job.sample()) == "com.example.shop")
        #expect(output.topic(for: try Job.sample(#""topic":"other""#)) == "other")
        #expect(!output.needsToken(for: try Job.sample()))
    }
}
