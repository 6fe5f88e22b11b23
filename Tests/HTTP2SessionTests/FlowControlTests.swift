import HTTP2Session
import Testing

@Suite struct FlowControlTests {
    @Test func deliversBodiesLargerThanWindows() throws {
        let pair = try MemoryConnection(serverSettings: HTTP2Settings(initialWindowSize: 1_000))
        let bodies = (0..<5).map { number in (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) } }
        pair.serverEvents.answer = { session, request in
            try session.respond(to: request.streamID, fields: okFields(), body: HTTP2Body(request.body))
        }
        try pair.exchange()
        for (tag, body) in bodies.enumerated() {
            try pair.client.post("/", body: body, tag: tag)
        }
        try pair.exchange()
        #expect(pair.serverEvents.requests.map(\.body) == bodies)
        #expect((0..<5).map { pair.clientEvents.responses[$0]?.body } == bodies)
    }

    @Test func stopsSendingWhenConnectionWindowIsUsedUp() throws {
        let pair = try MemoryConnection(grantsWindowByHand: true)
        try pair.exchange()
        for tag in 0..<4 {
            try pair.client.post("/", body: Array(repeating: 1, count: 20_000), tag: tag)
        }
        try pair.exchange()
        #expect(pair.serverEvents.requests.reduce(0) { $0 + $1.body.count } == 65_535)
        #expect(pair.client.connectionSendWindow == 0)
        #expect(!pair.client.wantsWrite)

        for request in pair.serverEvents.requests {
            try pair.server.consume(request.body.count, stream: request.streamID)
        }
        try pair.exchange()
        #expect(pair.serverEvents.requests.map(\.body.count) == [20_000, 20_000, 20_000, 20_000])
    }

    @Test func obeysAndReportsStreamWindowOfPeer() throws {
        let pair = try MemoryConnection(
            serverSettings: HTTP2Settings(initialWindowSize: 300), grantsWindowByHand: true)
        try pair.exchange()
        #expect(pair.client.peerInitialStreamWindow == 300)
        try pair.client.post("/", body: Array(repeating: 1, count: 1_000))
        try pair.exchange()
        #expect(pair.serverEvents.requests.first?.body.count == 300)
        #expect(pair.client.connectionSendWindow == 65_535 - 300)
    }

    @Test func limitsOutputPerCall() throws {
        let pair = try MemoryConnection()
        try pair.exchange()
        for tag in 0..<3 {
            try pair.client.post("/", body: Array(repeating: 7, count: 10_000), tag: tag)
        }
        var pieces: [Int] = []
        while pair.client.wantsWrite {
            var piece: [UInt8] = []
            try pair.client.collectOutput(limit: 5_000) { piece.append(contentsOf: $0) }
            pieces.append(piece.count)
            try piece.withUnsafeBytes { try pair.server.receive($0) }
        }
        #expect(pieces.filter { $0 > 0 }.count == 3, "expected three pieces of output, got \(pieces)")
        #expect(pair.serverEvents.requests.map(\.body.count) == [10_000, 10_000, 10_000])
    }
}
