import MartletCommand
import PushModel
import PushTestSupport
import Testing

/// The outcomes that `job publish --wait` counts for its job.
@Suite struct AwaitedOutcomesTests {
    private let text = #"{"id":"j","app":"a.b","payload":{},"recipients":["f1","51",{"token":"51","ref":"\u0075"}]}"#

    /// A worker dies after the first outcome, and another worker reports this outcome again. The repeated outcome must
    /// not count for other recipients.
    @Test func countsRepeatedOutcomeOnce() throws {
        var awaited = try awaited(text)
        let trace = awaited.traceparent
        let fast = event("sent", #"{"job":"j","recipient":"f1","status":200}"#)
        #expect(awaited.take(fast, traceparent: trace) == [.outcome("f1 sent 200")])
        for _ in 0..<3 { #expect(awaited.take(fast, traceparent: trace).isEmpty) }
        #expect(awaited.result == nil && awaited.openCount == 2 && awaited.count == 3)
        let slow = event("sent", #"{"job":"j","recipient":"51"}"#)
        #expect(awaited.take(slow, traceparent: trace) == [.outcome("51 sent")])
        #expect(awaited.take(slow, traceparent: trace).isEmpty && awaited.result == nil)
        let dead = event(
            "unregistered", #"{"job":"j","recipient":"51","ref":"u","status":410,"reason":"Unregistered"}"#)
        #expect(awaited.take(dead, traceparent: trace) == [.outcome("u unregistered 410 Unregistered")])
        #expect(awaited.result == false)
    }

    /// The job names a recipient twice, and the event has more outcomes than the job has recipients.
    @Test func succeedsIfAllRecipientsAreSent() throws {
        var awaited = try awaited(#"{"id":"j","app":"a.b","payload":{},"recipients":["aa","aa"]}"#)
        let one = #"{"job":"j","recipient":"aa"}"#
        #expect(awaited.take(event("sent", one, one, one, one), traceparent: awaited.traceparent).count == 2)
        #expect(awaited.result == true)
    }

    @Test func ignoresOutcomesOfOtherJobWithSameID() throws {
        var mine = try awaited(text)
        let other = try awaited(text.replacing("f1", with: "f2"))
        let unnamed = try awaited(text.replacing(#""id":"j","#, with: ""))
        #expect(Set([mine, other, unnamed].map(\.traceparent)).count == 3)
        #expect(try awaited(text).traceparent == mine.traceparent)
        let sent = event("sent", #"{"job":"j","recipient":"51"}"#)
        let rejected = Array(#"{"kind":"job.rejected","job":"j","errors":[{"field":"id","problem":"was given"}]}"#.utf8)
        for trace in [nil, "", "j", other.traceparent] {
            #expect(mine.take(sent, traceparent: trace).isEmpty && mine.take(rejected, traceparent: trace).isEmpty)
        }
        #expect(mine.openCount == 3 && mine.result == nil)
        // A worker with tracing replaces the publisher's span id with its own.
        let traced = mine.traceparent.prefix(36) + "00f067aa0ba902b7-01"
        #expect(mine.take(sent, traceparent: String(traced)).count == 1)
        #expect(mine.take(rejected, traceparent: mine.traceparent) == [.fault("id: was given")])
        #expect(mine.result == false)
    }

    @Test func ignoresUnreadableEvents() throws {
        var awaited = try awaited(text)
        for foreign in ["", "not json", "[]", #"{"kind":"sent","outcomes":[{"job":"j"}]}"#, #"{"kind":"sent"}"#] {
            #expect(awaited.take(Array(foreign.utf8), traceparent: awaited.traceparent).isEmpty, "\(foreign)")
        }
        #expect(awaited.openCount == 3 && awaited.result == nil)
    }

    private func awaited(_ text: String) throws -> AwaitedOutcomes {
        AwaitedOutcomes(try Job.read(text), body: Array(text.utf8))
    }

    private func event(_ kind: String, _ outcomes: String...) -> [UInt8] {
        Array(#"{"kind":"\#(kind)","outcomes":[\#(outcomes.joined(separator: ","))]}"#.utf8)
    }
}
