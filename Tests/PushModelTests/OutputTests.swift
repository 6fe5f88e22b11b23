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
    }

    @Test func providesDefaultsForAllButNameOfPlugin() throws {
        let plugin = DiscardPlugin()
        #expect(plugin.name == "discard" && plugin.title == "discard")
        #expect(plugin.credentials == nil && plugin.settings == [] && plugin.reasons == [:])
        #expect(plugin.eventFields == EventFields(id: "discard_id"))
        #expect(plugin.hasOneWorld)
        #expect(plugin.environment(of: try Job.sample(), app: .sandbox) == .production)
    }
}
