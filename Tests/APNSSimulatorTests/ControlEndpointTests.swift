import APNSSimulator
import Crypto
import SimulatorTestSupport
import Testing

/// The control endpoint over HTTP, as the tests of other programs use it.
@Suite struct ControlEndpointTests {
    private func withControl(_ body: (SimulatedAPNS, Control) async throws -> Void) async throws {
        try await withSimulator({ $0.controlPort = 0 }) { simulator in
            try await body(simulator, Control(port: try #require(simulator.controlPort)))
        }
    }

    private let topic = [("apns-topic", "com.example"), ("apns-push-type", "alert")]

    @Test func controlsAnswersKeysAndCounters() async throws {
        try await withControl { simulator, control in
            let key = TestKey()
            let pem = key.privateKey.publicKey.pemRepresentation.replacing("\n", with: "\\n")
            let registered = try await control.send(
                "POST", "keys", #"{"team":"TEAM123456","key_id":"KEY1234567","pem":"\#(pem)"}"#)
            #expect(registered.status == 204)
            let client = try await PushClient.connect(to: simulator)
            let fields = topic + [("authorization", key.authorization())]

            #expect(
                try await control.send("PUT", "answers/tokens/00FF", #"{"reason":"TooManyRequests"}"#).status == 204)
            #expect(try await client.push(token: "00ff", fields: fields).status == 429)
            #expect(try await control.send("DELETE", "answers/tokens/00ff").status == 204)
            let dead = #"{"count":1,"answer":{"status":410,"reason":"Unregistered","timestamp":12345}}"#
            #expect(try await control.send("POST", "answers/next", dead).status == 204)
            #expect(
                try await client.push(token: "00ff", fields: fields).body
                    == #"{"reason":"Unregistered","timestamp":12345}"#)

            let counters = try await control.send("GET", "counters")
            #expect(
                counters.body
                    == #"{"arrivals":2,"broken_connections":0,"by_reason":{"TooManyRequests":1,"Unregistered":1},"by_status":{"410":1,"429":1},"connections":1,"failed_handshakes":0,"malformed_requests":0,"most_open_streams":1,"open_connections":1,"open_streams":0,"refused_control_requests":0,"refused_streams":0,"timeouts":0,"withheld":0}"#
            )
            #expect(try await control.send("GET", "tokens").body.contains(#""updates_too_soon":0"#))
            #expect(try await control.send("POST", "faults/refuse", #"{"count":0}"#).status == 204)
            #expect(
                try await control.send(
                    "PUT", "faults/standing", #"{"answer":{"reason":"Shutdown"},"answer_delay_ms":1}"#
                )
                .status == 204)
            #expect(try await client.push(token: "00fe", fields: fields).status == 503)
            #expect(try await control.send("DELETE", "faults/standing").status == 204)
            #expect(try await client.push(token: "00fe", fields: fields).status == 200)
            for (body, fault) in [
                (#"{"silence":"some"}"#, "silence"), (#"{"delay":1}"#, "delay"),
                (#"{"window_delay_ms":-1}"#, "window_delay_ms"),
            ] {
                let refused = try await control.send("PUT", "faults/standing", body)
                #expect(refused.status == 400 && refused.body.contains(fault), "\(refused)")
            }
            #expect(try await control.send("GET", "channels/com.example").body == "[]")
            #expect(try await control.send("POST", "reset").status == 204)
            #expect(await simulator.counters().arrivals == 0)
        }
    }

    @Test func controlsRecordingAndFaults() async throws {
        try await withControl { simulator, control in
            let certificate = try simulator.certificateAuthority.issueClientCertificate(app: "com.example")
            let client = try await PushClient.connect(to: simulator, certificate: certificate)
            #expect(try await control.send("PUT", "recording", #"{"on":true}"#).status == 204)
            _ = try await client.push(token: "aa", fields: topic)
            _ = try await client.push(token: "bb", fields: topic)
            let recorded = try await control.send("GET", "requests?token=BB")
            #expect(
                recorded.body.replacing(/"credential":"[0-9a-f]{64}",/, with: "")
                    == #"{"accepted":{"bb":1},"arrivals":{"bb":1},"requests":[{"fields":{"apns-push-type":"alert","apns-topic":"com.example"},"payload":"{\"aps\":{}}","status":200,"token":"bb"}]}"#
            )
            #expect(try await control.send("POST", "faults/streams", #"{"limit":3}"#).status == 204)
            try await client.waitForStreamLimit(3)
            let goAway = #"{"reason":"IdleTimeout","last_stream_id":0}"#
            #expect(try await control.send("POST", "faults/goaway", goAway).status == 204)
            #expect(try await client.goAways(1) == [.init(lastStreamID: 0, debugData: #"{"reason":"IdleTimeout"}"#)])
            #expect(try await control.send("GET", "ca.pem").body == simulator.caCertificatePEM)

            let other = try await PushClient.connect(to: simulator, certificate: certificate)
            #expect(try await control.send("POST", "faults/cut").status == 204)
            try await other.closed()
        }
    }

    @Test(arguments: [
        ("PUT", "answers/tokens/00", #"{"reason":"Nonsense"}"#, "status"),
        ("PUT", "answers/tokens/00", #"{"status":99}"#, "status"),
        ("PUT", "answers/tokens/00", #"{"status":"x"}"#, "status"),
        ("PUT", "answers/tokens/00", #"{"delay_ms":-1}"#, "delay_ms"),
        ("PUT", "answers/tokens/00", #"{"reson":"Shutdown"}"#, "reson"),
        ("POST", "faults/goaway", #"{"last_stream":1}"#, "last_stream"),
        ("POST", "answers/next", #"{"count":0,"answer":{}}"#, "count"),
        ("POST", "answers/next", #"{"count":1}"#, "answer"),
        ("POST", "keys", #"{"team":"T","key_id":"K","pem":"x"}"#, "T/K"),
        ("POST", "faults/streams", #"{"limit":-1}"#, "limit"),
    ])
    func namesInvalidInput(method: String, path: String, body: String, named: String) async throws {
        try await withControl { _, control in
            let answer = try await control.send(method, path, body)
            #expect(answer.status == 400)
            #expect(answer.body.contains(named), "\(answer.body)")
        }
    }
}
