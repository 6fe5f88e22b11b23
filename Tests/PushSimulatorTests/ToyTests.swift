import Foundation
import HTTP2Session
import NIOCore
import PushSimulator
import SimulatorTestSupport
import TestSupport
import Testing

/// Features that the shared simulator provides to a double that defines only its own rules.
@Suite struct ToyTests {
    private func order(_ client: PushClient, _ toy: String) async throws -> PushClient.Response {
        try await client.push(path: "/toy/\(toy)", fields: [("shop", "toys")])
    }

    @Test func answersAndCountsByRulesOfDouble() async throws {
        try await withToys { simulator, control in
            let client = try await PushClient.connect(to: simulator)
            #expect(try await order(client, "bear") == .init(status: 200))
            let refused = try await client.push(method: "GET", path: "/toy/bear", fields: [])
            #expect(refused.status == 404 && refused.body == "sorry: no toy")
            let other = try await PushClient.connect(to: simulator, port: simulator.otherPorts[0])
            #expect(try await order(other, "bear").status == 404, "the rules must see the port of the connection")
            let counters = await simulator.counters()
            #expect(counters.arrivals == 3 && counters.byStatus == [200: 1, 404: 2])
            #expect(counters.byReason == ["no toy": 2] && counters.others == ["other_shops": 2])
            #expect(try await control.send("GET", "counters").body.contains(#""others":{"other_shops":2}"#))
            await simulator.reset()
            #expect(await simulator.counters().others == nil)
        }
    }

    @Test func obeysControlEndpoint() async throws {
        try await withToys { simulator, control in
            let client = try await PushClient.connect(to: simulator)
            let sold = #"{"status":409,"word":"sold","after":1}"#
            #expect(try await control.send("PUT", "answers/tokens/bear", sold).status == 204)
            var statuses: [Int] = []
            for toy in ["bear", "bear", "BEAR"] { statuses.append(try await order(client, toy).status) }
            #expect(statuses == [200, 409, 200], "tokens must match case-sensitively by default")
            #expect(try await control.send("POST", "sale").status == 204)
            #expect(try await order(client, "doll").body == "sorry: sold")
            let standing = #"{"answer":{"status":503,"word":"closed"},"answer_delay_ms":1}"#
            #expect(try await control.send("PUT", "faults/standing", standing).status == 204)
            #expect(try await order(client, "doll").status == 503)
            let unknown = try await control.send("POST", "answers/next", #"{"count":1,"answer":{"reason":"sold"}}"#)
            #expect(unknown.status == 400)
            #expect(unknown.body.contains("reason: unknown field; known fields: after, delay_ms, status, word"))
            #expect(try await control.send("POST", "faults/goaway", #"{"reason":"closing"}"#).status == 204)
            #expect(try await client.goAways(1).map(\.debugData) == ["closing"])
        }
    }

    @Test func runsFaultScripts() async throws {
        let json = #"[{"at_ms":0,"sale":true},{"at_ms":0,"next":{"count":1,"answer":{"status":500}}}]"#
        let script = try SimulatedService<ToyDouble>.FaultScript(json: Data(json.utf8), source: "test")
        try await withToys { simulator, _ in
            try await script.run(on: simulator)
            let client = try await PushClient.connect(to: simulator)
            var statuses: [Int] = []
            for _ in 0..<3 { statuses.append(try await order(client, "bear").status) }
            #expect(statuses == [409, 500, 200])
        }
        let error = #expect(throws: SimulatorError.self) {
            try SimulatedService<ToyDouble>.FaultScript(json: Data(#"[{"at_ms":0,"key":{}}]"#.utf8), source: "test")
        }
        #expect(error?.description.hasPrefix("test: step 1: key: unknown field; known fields: after_requests,") == true)
    }

    @Test func recordsRequests() async throws {
        try await withToys { simulator, control in
            #expect(try await control.send("PUT", "recording", #"{"on":true}"#).status == 204)
            let client = try await PushClient.connect(to: simulator)
            _ = try await order(client, "bear")
            _ = try await client.push(path: "/shop", fields: [])
            #expect(
                try await control.send("GET", "requests?token=bear").body
                    == #"{"accepted":{"bear":1},"arrivals":{"bear":1},"requests":[{"fields":{"shop":"toys"},"payload":"{\"aps\":{}}","status":200,"token":"bear"}]}"#
            )
            #expect(simulator.recordedRequests.map(\.reason) == [nil, "no toy"])
            #expect(try await control.send("GET", "toys/bear").body == #"{"bear":1}"#)
        }
    }

    @Test func appliesLimitsOfDouble() async throws {
        try await withToys { simulator, _ in
            let client = try await PushClient.connect(to: simulator)
            for _ in 0..<3 { try await client.ping() }
            let goAway = try await client.goAways(1)
            #expect(goAway.map(\.debugData) == ["too_many_pings"] && goAway.map(\.code) == [.enhanceYourCalm])
        }
    }

    @Test func appliesFaultsOfServer() async throws {
        try await withToys { simulator, _ in
            let client = try await PushClient.connect(to: simulator)
            simulator.refuseStreams(1)
            await #expect(throws: PushClient.Lost(code: .refusedStream)) { try await order(client, "bear") }
            await simulator.changeStreamLimit(to: 7)
            try await client.waitForStreamLimit(7)
            var faults = SimulatedService<ToyDouble>.StandingFaults()
            faults.silence = .answers
            await simulator.setFaults(faults)
            let unanswered = client.start(path: "/toy/bear", fields: [])
            try await eventually("the answer withheld") { await simulator.counters().withheld == 1 }
            let ports = [simulator.port] + simulator.otherPorts
            try await simulator.goDown(for: .milliseconds(10))
            await #expect(throws: PushClient.Lost.self) { try await unanswered.get() }
            #expect([simulator.port] + simulator.otherPorts == ports)
            await simulator.reset()
            #expect(try await order(PushClient.connect(to: simulator), "bear").status == 200)
        }
    }

    @Test func restartsServerAfterSimultaneousOutages() async throws {
        try await withToys { simulator, control in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for milliseconds in [1, 20, 1, 1, 5, 1] {
                    group.addTask { try await simulator.goDown(for: .milliseconds(milliseconds)) }
                }
                try await group.waitForAll()
            }
            #expect(try await control.send("GET", "counters").status == 200)
            let client = try await PushClient.connect(to: simulator)
            #expect(try await order(client, "bear").status == 200)
        }
    }
}
