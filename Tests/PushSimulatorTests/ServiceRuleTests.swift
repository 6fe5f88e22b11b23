import Foundation
import HTTP2Session
import PushSimulator
import SimulatorTestSupport
import TestSupport
import Testing
import Foundations

/// Features that a double's rules can use although APNs does not need them, such as recipients in the body, other
/// statuses that accept a push, resets in place of an answer, and timers.
@Suite struct ServiceRuleTests {
    @Test func readsRecipientFromBodyAndAcceptsWithOtherStatus() async throws {
        try await withToys { simulator, control in
            simulator.isRecording = true
            let client = try await PushClient.connect(to: simulator)
            let image = Array("bear".utf8) + [0xff, 0x00] + [UInt8](repeating: 0x61, count: 9_000)
            for body in [Array("doll!".utf8), image, Array("leak".utf8)] {
                #expect(try await client.push(path: "/toys", fields: [], payload: body).status == 201)
            }
            #expect(simulator.recordedAcceptances == ["doll": 1, "bear": 1, "leak": 1])
            let recorded = simulator.recordedRequests
            #expect(recorded.map(\.token) == ["doll", "bear", "leak"] && recorded.map(\.status) == [201, 201, 201])
            #expect(recorded.map(\.payloadBytes) == [nil, Data(image), nil], "binary body of over 8,192 bytes")
            #expect(recorded.map(\.payload)[0] == "doll!" && recorded.map(\.payload)[2] == "secret")
            let shown = try await control.send("GET", "requests?token=bear").body
            #expect(
                shown.contains(#""payload_base64":"\#(Data(image).base64EncodedString())""#), "\(shown.prefix(300))")
            #expect(try await control.send("GET", "requests?token=doll").body.contains("base64") == false)
        }
    }

    @Test func resetsStreamOrCutsConnectionInsteadOfAnswering() async throws {
        try await withToys { simulator, _ in
            simulator.isRecording = true
            let client = try await PushClient.connect(to: simulator)
            simulator.answerNext(1, with: ToyAnswer(word: "reset"))
            simulator.answerNext(1, with: ToyAnswer(word: "cut"))
            await #expect(throws: PushClient.Lost(code: .internalError)) {
                try await client.push(path: "/toy/bear", fields: [])
            }
            await #expect(throws: PushClient.Lost()) { try await client.push(path: "/toy/bear", fields: []) }
            try await client.closed()
            #expect(try await client.goAways(0) == [], "the cut must come without GOAWAY")
            #expect(simulator.recordedArrivals == ["bear": 2] && simulator.recordedAcceptances == [:])
            #expect(simulator.recordedRequests.map(\.status) == [nil, nil])
            #expect(await simulator.counters().withheld == 2)
        }
    }

    @Test func runsTimersAndNotifiesRulesOfClosedConnection() async throws {
        try await withToys { simulator, _ in
            let client = try await PushClient.connect(to: simulator)
            try await eventually("the timer of the rules fired") {
                simulator.double.visits.greeted.load(ordering: .relaxed) == 1
            }
            simulator.answerNext(1, with: ToyAnswer(word: "last"))
            #expect(try await client.push(path: "/toy/bear", fields: []).status == 200)
            #expect(try await client.goAways(1).map(\.debugData) == ["closing"])
            try await client.closed()
            try await eventually("the rules notified of the closed connection") {
                simulator.double.visits.ended.load(ordering: .relaxed) == 1
            }
        }
    }
}
