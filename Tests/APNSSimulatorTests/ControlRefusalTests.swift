import APNSSimulator
import Foundation
import SimulatorTestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Error answers from the control endpoint.
@Suite struct ControlRefusalTests {
    private func withControl(_ body: (SimulatedAPNS, Control) async throws -> Void) async throws {
        try await withSimulator({ $0.controlPort = 0 }) { simulator in
            try await body(simulator, Control(port: try #require(simulator.controlPort)))
        }
    }

    @Test(
        arguments: [
            ("GET", "nothing", nil, 404), ("PATCH", "counters", nil, 404), ("POST", "keys", "{", 400),
            ("POST", "keys", nil, 400), ("POST", "keys", "[]", 400),
            ("PUT", "recording", String(repeating: " ", count: 2 << 20), 413), ("PUT", "answers/tokens/xyz", "{}", 400),
        ] as [(String, String, String?, Int)])
    func answersInvalidRequestsWithErrorField(method: String, path: String, body: String?, status: Int) async throws {
        try await withControl { simulator, control in
            let answer = try await control.send(method, path, body)
            #expect(answer.status == status, "\(answer)")
            let fields = try #require(
                try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: String], "\(answer.body)")
            #expect(fields.keys.sorted() == ["error"] && fields["error"]?.isEmpty == false)
            #expect(await simulator.counters().refusedControlRequests == 1)
        }
    }

    @Test(arguments: [
        ("POST", "keys", #"{"team":"T","key_id":"K","pem":"x","topic":["a"]}"#, "topic: unknown field"),
        ("POST", "answers/next", #"{"count":1,"answer":{},"for":"x"}"#, "for: unknown field"),
        ("POST", "faults/streams", #"{"limit":1,"x":1}"#, "x: unknown field"),
        ("POST", "faults/refuse", #"{"count":1,"x":1}"#, "x: unknown field"),
        ("PUT", "recording", #"{"on":true,"off":1}"#, "off: unknown field"),
        ("PUT", "faults/standing", #"{"answer":{"reson":"Shutdown"}}"#, "reson: unknown field"),
        ("POST", "faults/streams", #"{"limit":1e30}"#, "limit: "),
        ("POST", "faults/streams", #"{"limit":1.5}"#, "limit: "),
        ("POST", "faults/streams", #"{"limit":4294967296}"#, "limit: 4294967296 is not between 0 and 4294967295"),
        ("POST", "faults/refuse", #"{"count":99999999999999999999}"#, "count: "),
        ("POST", "faults/goaway", #"{"last_stream_id":-1}"#, "last_stream_id: "),
        ("POST", "faults/goaway", #"{"code":4294967296}"#, "code: "),
        ("POST", "answers/next", #"{"count":1e99,"answer":{}}"#, "count: "),
        ("POST", "answers/next", #"{"count":1,"answer":{"after":1}}"#, "after: "),
        ("PUT", "answers/tokens/00", #"{"after":-1}"#, "after: "),
        ("PUT", "answers/tokens/00", #"{"timestamp":1e300}"#, "timestamp: "),
        ("PUT", "answers/tokens/00", #"{"retry_after":-1}"#, "retry_after: "),
        ("PUT", "answers/tokens/00", #"{"delay_ms":3600001}"#, "delay_ms: "),
        ("PUT", "answers/tokens/00", #"{"never":"yes"}"#, "never: must be true or false"),
        ("PUT", "answers/tokens/00", #"{"status":null,"reason":5}"#, "reason: must be a string"),
        ("POST", "faults/script", #"[{"at_ms":1e40,"cut":true}]"#, "at_ms: "),
        ("POST", "faults/script", #"[{"at_ms":0,"down_ms":-5}]"#, "down_ms: "),
    ])
    func namesFieldAtFault(method: String, path: String, body: String, expected: String) async throws {
        try await withControl { _, control in
            let answer = try await control.send(method, path, body)
            #expect(answer.status == 400, "\(answer)")
            #expect(answer.body.contains(expected), "\(answer.body)")
        }
    }

    @Test func choosesAnswerByLongestTokenPrefix() async throws {
        let key = TestKey()
        try await withSimulator {
            $0.controlPort = 0
            $0.tokenKeys = [key.tokenKey]
        } _: { simulator in
            let control = Control(port: try #require(simulator.controlPort))
            let fields = [("authorization", key.authorization()), ("apns-topic", "com.example")]
            let client = try await PushClient.connect(to: simulator)
            func status(_ token: String) async throws -> Int {
                try await client.push(token: token, fields: fields).status
            }
            _ = try await control.send("PUT", "recording", #"{"on":true}"#)
            _ = try await control.send("PUT", "answers/tokens/C2732227", #"{"reason":"TooManyRequests"}"#)
            _ = try await control.send("PUT", "answers/tokens/c2732227aa", #"{"reason":"Unregistered"}"#)
            #expect(try await status("c273222700") == 429)
            #expect(try await status("c2732227") == 429)
            #expect(try await status("c2732227aaff") == 410, "the longest prefix must decide")
            #expect(try await status("c27322") == 200)
            #expect(try await control.send("DELETE", "answers/tokens/c2732227aa").status == 204)
            #expect(try await status("c2732227aaff") == 429)
            let recorded = try await control.send("GET", "requests?token=C2732227aa")
            #expect(recorded.body.contains(#""arrivals":{"c2732227aaff":2}"#), "\(recorded)")
        }
    }
}
