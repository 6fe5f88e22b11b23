import PushModel
import PushTestSupport
import Testing

@Suite struct OutputTests {
    private static let now = Timestamp(seconds: 1_795_168_800)

    @Test func discardKeepsTheContract() async throws {
        let violations = try await OutputContract(DiscardOutput { Self.now }, now: Self.now).violations()
        #expect(violations == [])
    }

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

    /// The contract's checks themselves: each fault is noticed.
    @Test(arguments: [
        (FaultyOutput.Fault.forgets, "recipient 0 has 0 outcomes"), (.repeats, "recipient 0 has 2 outcomes"),
        (.invents, "there is no recipient"), (.reportsNothing, "an empty batch was reported"),
        (.sendsExpired, "expired, but sent"), (.cancelsOthers, "cancelled, and nobody did"),
        (.neverShutsDown, "shutDown did not return"),
    ])
    func faultsAgainstTheContractAreNoticed(fault: FaultyOutput.Fault, expected: String) async throws {
        let output = FaultyOutput(fault, now: Self.now)
        let violations = try await OutputContract(output, now: Self.now, patience: .milliseconds(200)).violations()
        #expect(violations.contains { $0.contains(expected) }, "\(violations)")
        output.release()
    }
}
