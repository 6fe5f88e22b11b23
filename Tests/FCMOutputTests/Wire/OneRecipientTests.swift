import FCMOutput
import FCMSimulator
import PushModel
import PushTestSupport
import TestSupport
import Testing

/// Refusals by FCM that concern one recipient and must not affect other recipients.
@Suite struct OneRecipientTests {
    @Test(arguments: [FCMReason.notFound, .permissionDenied, .pathNotFound, .forbidden])
    func retriesOnlyRecipientWithUnexplainedRefusal(fault: FCMReason) async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator) { $0.maximumConnections = 1 }
        #expect(try await fixture.push()?.verdict == .sent)
        simulator.setAnswer(PlannedFCMAnswer(fault), forToken: "odd:APA91b")
        for round in 0..<5 {
            try fixture.send(to: ["odd:APA91b"] + FCMFixture.tokens(40, "round\(round)"))
            await fixture.recorder.wait(for: 1 + 41 * (round + 1))
        }
        let reason = [.notFound, .permissionDenied].contains(fault) ? fault.rawValue : "Status\(fault.status)"
        #expect(fixture.tally == ["sent": 201, "retry \(reason)": 5])
        #expect(fixture.refusals == [])
        await fixture.output.shutDown()
        await simulator.stop()
    }

    /// If the project does not exist, or the account lacks the permission, few requests are sent, and all other
    /// recipients are held.
    @Test(arguments: [FCMReason.notFound, .permissionDenied])
    func holdsCredentialWhenAllAreRefused(fault: FCMReason) async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator) {
            $0.maximumConnections = 1
            $0.breakMilliseconds = 20_000
        }
        simulator.answerNext(1_000, with: PlannedFCMAnswer(fault))
        for job in 0..<5 { try fixture.send(to: FCMFixture.tokens(100, "job\(job)")) }
        await fixture.recorder.wait(for: 500)
        let asked = fixture.tally["retry \(fault.rawValue)"] ?? 0
        #expect((3...110).contains(asked), "\(fixture.tally)")
        #expect(fixture.tally["hold \(fault.rawValue)"] == 500 - asked, "\(fixture.tally)")
        #expect(fixture.refusals == ["began \(fault.rawValue)"])
        await fixture.output.shutDown()
        await simulator.stop()
    }

    /// The 401 arrives after FCM has accepted a later request with the same token.
    @Test func keepsTokenOnLateRefusal() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator) { $0.maximumConnections = 1 }
        #expect(try await fixture.push()?.verdict == .sent)
        simulator.answerNext(1, with: PlannedFCMAnswer(.unauthenticated, delayMilliseconds: 3_000))
        try fixture.send(to: ["odd:APA91b"])
        try await eventually("the message is on the wire") { simulator.recordedArrivals["odd:APA91b"] == 1 }
        #expect(try await fixture.push(#""later:APA91b""#)?.verdict == .sent)
        await fixture.recorder.wait(for: 3)
        #expect(fixture.tally == ["sent": 3])
        #expect(simulator.accountUses.values.map(\.tokens) == [1])
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func attributesFaultToTokenIfPayloadWasAccepted() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator) { $0.maximumConnections = 1 }
        // The refusal of the first token arrives before the payload is accepted for another token.
        let plain = PlannedFCMAnswer(.invalidArgument)
        // This answer states that the payload is at fault. FCM has accepted the payload for another recipient, so the
        // job continues.
        let payload = PlannedFCMAnswer(.invalidPayload)
        simulator.setAnswer(plain, forToken: "odd:APA91b")
        simulator.setAnswer(payload, forToken: "odder:APA91b")
        simulator.setAnswer(plain, forToken: "own:APA91b")
        try fixture.send(
            #"["odd:APA91b","good:APA91b","odder:APA91b",{"token":"own:APA91b","payload":{}},{"topic":"news"}]"#)
        await fixture.recorder.wait(for: 5)
        let details = Dictionary(
            uniqueKeysWithValues: fixture.recorder.outcomes.filter { $0.verdict == .rejected }.map {
                ($0.recipient, $0.detail ?? "")
            })
        let finding = "token at fault: FCM accepted the same payload for another recipient of this job"
        #expect(details.keys.sorted() == [0, 2, 3] && fixture.tally["sent"] == 2, "\(fixture.tally)")
        #expect(details[0] == "\(finding); Request contains an invalid argument.", "\(details)")
        #expect(details[2] == "\(finding); message.notification: Request contains an invalid argument.", "\(details)")
        #expect(details[3] == "Request contains an invalid argument.", "\(details)")
        #expect(fixture.recorder.outcomes.allSatisfy { $0.unregisteredAt == nil })
        // Counts are reported once a second and at the end.
        await fixture.output.shutDown()
        #expect(fixture.badTokens == ["INVALID_ARGUMENT": 2])
        await simulator.stop()
    }

    @Test func reportsReasonOfLongAnswer() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator)
        simulator.answerNext(1, with: PlannedFCMAnswer(.unregistered, message: String(repeating: "x", count: 40_000)))
        let dead = try #require(try await fixture.push(#""long:APA91b""#))
        #expect(dead.verdict == .unregistered && dead.reason == "UNREGISTERED", "\(dead)")
        #expect(dead.detail == String(repeating: "x", count: 200) + "…")
        simulator.answerNext(1, with: PlannedFCMAnswer(.notFound, message: String(repeating: "y", count: 100_000)))
        let unread = try #require(try await fixture.push(#""longer:APA91b""#))
        #expect(unread.verdict == .retry && unread.reason == "Status404", "\(unread)")
        #expect(unread.detail?.contains("more than 65536 bytes") == true, "\(unread)")
        #expect(try await fixture.push(#""next:APA91b""#)?.verdict == .sent)
        #expect(fixture.refusals == [])
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func escapesControlCharactersInDetail() async throws {
        let simulator = try await SimulatedFCM.started()
        let fixture = try FCMFixture(simulator)
        simulator.answerNext(1, with: PlannedFCMAnswer(.invalidArgument, message: "a\u{1B}[31mred\r\nline\u{202E}"))
        let outcome = try #require(try await fixture.push(#""odd:APA91b""#))
        #expect(outcome.detail == #"a\u{1B}[31mred\r\nline\u{202E}"#)
        await fixture.output.shutDown()
        await simulator.stop()
    }
}
