import APNSSimulator
import Foundation
import SimulatorTestSupport
import TestSupport
import Testing

@Suite struct FaultScriptTests {
    private let key = TestKey()

    private func fields() -> [(String, String)] {
        [
            ("authorization", key.authorization(issuedAt: Date(timeIntervalSince1970: 1_800_000_000))),
            ("apns-topic", "com.example"), ("apns-push-type", "alert"),
        ]
    }

    private func with(
        _ change: (inout SimulatorConfiguration) -> Void = { _ in },
        _ body: (SimulatedAPNS, PushClient, [(String, String)]) async throws -> Void
    ) async throws {
        try await withSimulator {
            $0.tokenKeys = [key.tokenKey]
            $0.now = { Date(timeIntervalSince1970: 1_800_000_000) }
            change(&$0)
        } _: { simulator in
            try await body(simulator, try await PushClient.connect(to: simulator), fields())
        }
    }

    @Test func runsStepsInOrderOfTime() async throws {
        let script = try FaultScript(
            json: Data(
                #"""
                [{"at_ms":20,"standing":{}},
                 {"at_ms":10,"next":{"count":1,"answer":{"reason":"Unregistered"}}},
                 {"at_ms":0,"standing":{"answer":{"reason":"Shutdown"}}}]
                """#.utf8), source: "test")
        try await with { simulator, client, fields async throws in
            try await script.run(on: simulator)
            #expect(try await client.push(fields: fields).status == 410)
            #expect(try await client.push(fields: fields).status == 200)
        }
    }

    @Test func runsStepAfterNumberOfRequests() async throws {
        func script(after requests: Int, _ key: String) throws -> FaultScript {
            let json = #"[{"after_requests":\#(requests),"key":{"key_id":"KEY1234567"\#(key)}}]"#
            return try FaultScript(json: Data(json.utf8), source: "test")
        }
        let refusal = try script(after: 2, #","reason":"Forbidden""#)
        let pardon = try script(after: 5, "")
        try await with { simulator, client, fields async throws in
            func statuses(_ count: Int) async throws -> [Int] {
                var statuses: [Int] = []
                for _ in 0..<count { statuses.append(try await client.push(fields: fields).status) }
                return statuses
            }
            async let refused: Void = refusal.run(on: simulator)
            #expect(try await statuses(2) == [200, 200])
            try await refused
            async let pardoned: Void = pardon.run(on: simulator)
            #expect(try await statuses(3) == [403, 403, 403])
            try await pardoned
            #expect(try await statuses(1) == [200])
        }
    }

    @Test func restartsServerOnSamePort() async throws {
        let script = try FaultScript(json: Data(#"[{"at_ms":0,"down_ms":20}]"#.utf8), source: "test")
        try await with { simulator, _, fields async throws in
            let port = simulator.port
            try await script.run(on: simulator)
            #expect(simulator.port == port)
            #expect(try await PushClient.connect(to: simulator).push(fields: fields).status == 200)
        }
    }

    @Test(
        arguments: [
            ("{", "script.json"), ("[{}]", "step 1: must have either at_ms or after_requests"),
            (#"[{"at_ms":1,"after_requests":1,"cut":true}]"#, "step 1: must have either at_ms or after_requests"),
            (#"[{"at_ms":1}]"#, "step 1: must have exactly one command"),
            (#"[{"at_ms":1,"cut":true},{"at_ms":1,"shut":true}]"#, "step 2: shut: unknown field"),
            (#"[{"at_ms":-1,"cut":true}]"#, "step 1: at_ms: -1 is not between"),
            (#"[{"at_ms":1,"cut":true,"streams":{"limit":1}}]"#, "step 1: must have exactly one command"),
            (#"[{"at_ms":1,"standing":{"silence":"some"}}]"#, "step 1: standing: silence: 'some'"),
            (#"[{"at_ms":1,"cut":false}]"#, "step 1: cut: must be true"),
            (#"[{"at_ms":1,"cut":"yes"}]"#, "step 1: cut: must be true or false"),
            (#"[{"at_ms":1,"streams":{"limit":-1}}]"#, "step 1: streams: limit: -1 is not between"),
            (#"[{"at_ms":1,"refuse":{"count":-1}}]"#, "step 1: refuse: count: -1 is not between"),
            (#"[{"at_ms":1,"down_ms":-1}]"#, "step 1: down_ms: -1 is not between"),
            (#"[{"at_ms":1,"next":{"count":0,"answer":{}}}]"#, "step 1: next: count: 0 is not between"),
            (#"[{"at_ms":1,"next":{"count":1,"answer":{"reason":"Odd"}}}]"#, "step 1: next: status: required"),
            (#"[{"at_ms":1,"key":{"key_id":"K","reason":"Odd"}}]"#, "step 1: key: reason: 'Odd'"),
            (#"[{"at_ms":1,"key":{"key_id":"K","topics":["a"]}}]"#, "step 1: key: reason: required"),
        ])
    func namesFaultInScript(json: String, fault: String) throws {
        let error = try #require(throws: SimulatorError.self) {
            try FaultScript(json: Data(json.utf8), source: "script.json")
        }
        #expect(error.description.contains(fault), "\(error)")
    }

    @Test func slowsAndEndsConnectionAfterRefusals() async throws {
        try await with {
            $0.refusalsBeforeSlowing = 6
            $0.refusalsBeforeGoAway = 7
        } _: { simulator, client, fields async throws in
            #expect(try await client.push(token: "dead0410", fields: fields).status == 410)
            #expect(try await client.push(token: "bad00400", fields: fields).status == 400)
            #expect(try await client.streamLimit() == 1_000)
            #expect(try await client.push(token: "bad01400", fields: fields).status == 400)
            try await client.waitForStreamLimit(1)
            #expect(try await client.goAways(0).isEmpty)
            #expect(try await client.push(token: "bad01400", fields: fields).status == 400)
            #expect(try await client.goAways(1).count == 1)
        }
    }

    @Test func rejectsConnectionWithoutALPNIfRequired() async throws {
        try await with({ $0.requiresALPN = true }) { simulator, client, fields async throws in
            #expect(try await client.push(fields: fields).status == 200)
            await #expect(throws: (any Error).self) { _ = try await PushClient.connect(to: simulator, protocols: []) }
            #expect(await simulator.counters().failedHandshakes == 1)
        }
    }

    @Test func reportsTokenDeadAfterNumberOfPushes() async throws {
        try await with { simulator, client, fields async throws in
            simulator.setAnswer(PlannedAnswer(.unregistered), forToken: "aa", after: 2)
            var statuses: [Int] = []
            for _ in 0..<4 { statuses.append(try await client.push(token: "aa", fields: fields).status) }
            #expect(statuses == [200, 200, 410, 410])
        }
    }

    @Test(arguments: [false, true]) func spellsReasonForWrongEnvironmentAsConfigured(documented: Bool) async throws {
        try await with {
            $0.tokenKeys[0].scope.environments = [.sandbox]
            $0.spellsReasonsAsDocumented = documented
        } _: { _, client, fields async throws in
            let name = documented ? "BadEnvironmentKeyIdInToken" : "BadEnvironmentKeyInToken"
            #expect(try await client.push(fields: fields).body == #"{"reason":"\#(name)"}"#)
        }
    }
}
