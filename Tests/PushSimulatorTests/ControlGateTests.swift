import PushSimulator
import SimulatorTestSupport
import Testing

/// Access to the control endpoint by host name and origin.
@Suite struct ControlGateTests {
    @Test(
        arguments: [
            ("localhost", nil, 204), ("LOCALHOST:2198", nil, 204), ("127.0.0.1", nil, 204), ("[::1]:2198", nil, 204),
            ("simulator.test", nil, 204), ("evil.example", nil, 403), ("localhost.evil.example", nil, 403),
            ("localhost", "http://localhost:3000", 204), ("localhost", "https://simulator.test", 204),
            ("localhost", "https://evil.example", 403), ("localhost", "null", 403),
            ("localhost", "https://localhost.evil.example", 403), ("localhost", "https://localhost@evil.example", 403),
        ] as [(String, String?, Int)])
    func servesOnlyOwnHostNames(host: String, origin: String?, status: Int) async throws {
        try await withToys { simulator, control in
            let answer = try await control.send("POST", "reset", fields: ["Host": host, "Origin": origin])
            #expect(answer.status == status, "\(answer)")
            #expect(answer.body.isEmpty == (status == 204))
            if status == 403 {
                #expect(answer.body.contains(origin == nil ? "Host" : "Origin"))
                #expect(await simulator.counters().refusedControlRequests == 1)
            }
        }
    }
}
