import HTTP2Session
import Testing

@Suite struct GoAwayTests {
    @Test func refusesStreamsAboveLastOfGoAwayAndAnswersOthers() throws {
        let pair = try MemoryConnection()
        pair.serverEvents.answer = { _, _ in }
        try pair.exchange()
        for tag in 0..<4 {
            try pair.client.post("/", tag: tag)
        }
        try pair.exchange()
        try pair.server.goAway(lastStreamID: 3, debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
        try pair.exchange()

        #expect(pair.clientEvents.goAways.count == 1)
        #expect(pair.clientEvents.goAways.first?.lastStreamID == 3)
        #expect(pair.clientEvents.goAways.first?.code == .noError)
        #expect(pair.clientEvents.goAways.first?.debugData == #"{"reason":"Shutdown"}"#)
        #expect((0..<4).map { pair.clientEvents.responses[$0]?.closed } == [nil, nil, .refusedStream, .refusedStream])
        #expect(!pair.client.takesRequests)
        let error = #expect(throws: HTTP2Error.self) { try pair.client.post("/") }
        #expect(error?.kind == .closing)

        for stream: Int32 in [1, 3] {
            try pair.server.respond(to: stream, fields: okFields())
        }
        try pair.exchange()
        #expect((0..<2).map { pair.clientEvents.responses[$0]?.status } == [200, 200])
        #expect(pair.client.isFinished)
        #expect(pair.server.isFinished)
    }

    @Test func acceptsRequestsSentBeforeGoAwayAnnouncementArrives() throws {
        let pair = try MemoryConnection()
        try pair.exchange()
        try pair.server.announceGoAway()
        let announcement = try pair.server.output()
        // The client sends this request before the announcement arrives.
        try pair.client.post("/", tag: 9)
        try pair.move(pair.client, to: pair.server)
        try announcement.withUnsafeBytes { try pair.client.receive($0) }
        #expect(pair.clientEvents.goAways.last?.lastStreamID == .max)

        try pair.server.goAway(lastStreamID: pair.server.lastStreamID)
        try pair.exchange()
        #expect(pair.clientEvents.goAways.map(\.lastStreamID) == [.max, 1])
        #expect(pair.clientEvents.responses[9]?.status == 200)
    }

    @Test func refusesUnsentRequestOnGoAway() throws {
        let pair = try MemoryConnection(serverSettings: HTTP2Settings(maxConcurrentStreams: 1))
        pair.serverEvents.answer = { _, _ in }
        try pair.exchange()
        try pair.client.post("/", tag: 1)
        try pair.client.post("/", tag: 2)
        try pair.exchange()
        #expect(pair.serverEvents.requests.count == 1)
        try pair.server.goAway(lastStreamID: 1)
        try pair.exchange()
        try pair.server.respond(to: 1, fields: okFields())
        try pair.exchange()
        #expect(pair.clientEvents.responses[1]?.closed == .noError)
        #expect(pair.clientEvents.responses[2]?.closed == .refusedStream)
        #expect(pair.client.openStreams == 0)
    }

    @Test func deliversGoAwayOfClientToServer() throws {
        let pair = try MemoryConnection()
        try pair.client.goAway()
        try pair.exchange()
        #expect(pair.serverEvents.goAways == [.noError])
        #expect(pair.client.isFinished)
    }

    @Test func sendsGoAwayWithErrorCodeWithoutFailing() throws {
        let pair = try MemoryConnection()
        try pair.exchange()
        try pair.server.goAway(lastStreamID: 0, code: .enhanceYourCalm)
        try pair.exchange()
        #expect(pair.clientEvents.goAways.first?.code == .enhanceYourCalm)
    }

    @Test func acknowledgesPingWithSamePayload() throws {
        let pair = try MemoryConnection()
        try pair.client.ping(0x0102_0304_0506_0708)
        try pair.server.ping(42)
        try pair.exchange()
        #expect(pair.clientEvents.pings == [0x0102_0304_0506_0708])
        #expect(pair.serverEvents.pings == [42])
    }

    @Test func deliversResetsToPeer() throws {
        let pair = try MemoryConnection()
        pair.serverEvents.answer = { session, request in
            if request.streamID == 1 { try session.reset(1, code: .refusedStream) }
        }
        try pair.client.post("/", tag: 1)
        try pair.exchange()
        let second = try pair.client.post("/", tag: 2)
        try pair.exchange()
        try pair.client.reset(second)
        try pair.exchange()
        #expect(pair.clientEvents.responses[1]?.closed == .refusedStream)
        #expect(pair.clientEvents.responses[2]?.closed == .cancel)
        #expect(pair.serverEvents.requests.map(\.closed) == [.refusedStream, .cancel])
        let error = #expect(throws: HTTP2Error.self) { try pair.server.respond(to: second, fields: okFields()) }
        #expect(error?.kind == .unknownStream)
        #expect(pair.client.openStreams == 0 && pair.server.openStreams == 0)
    }
}
