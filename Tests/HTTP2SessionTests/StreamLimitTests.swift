import HTTP2Session
import Testing

@Suite struct StreamLimitTests {
    @Test func opensOneStreamBeforePeerSettingsArrive() throws {
        let client = try HTTP2ClientSession()
        #expect(client.peerMaxConcurrentStreams == nil)
        for tag in 0..<3 {
            try client.post("/", tag: tag)
        }
        let server = try HTTP2ServerSession()
        let events = ServerRecorder()
        server.delegate = events
        try client.output().withUnsafeBytes { try server.receive($0) }
        #expect(events.requests.count == 1)
        #expect(client.openStreams == 3)
    }

    @Test func followsReducedAndRaisedStreamLimit() throws {
        let pair = try MemoryConnection(serverSettings: HTTP2Settings(maxConcurrentStreams: 100))
        pair.serverEvents.answer = { _, _ in }
        try pair.exchange()
        #expect(pair.client.peerMaxConcurrentStreams == 100)

        try pair.server.changeSettings(HTTP2Settings(maxConcurrentStreams: 1))
        try pair.exchange()
        #expect(pair.client.peerMaxConcurrentStreams == 1)
        #expect(pair.serverEvents.acknowledgements == 2)
        for tag in 0..<20 {
            try pair.client.post("/", tag: tag)
        }
        try pair.exchange()
        #expect(pair.serverEvents.requests.count == 1)

        try pair.server.changeSettings(HTTP2Settings(maxConcurrentStreams: 10))
        try pair.exchange()
        #expect(pair.clientEvents.settingsChanges == 3)
        #expect(pair.serverEvents.requests.count == 10)

        // Each answer lets the server receive one more request.
        for request in pair.serverEvents.requests {
            try pair.server.respond(to: request.streamID, fields: okFields())
        }
        try pair.exchange()
        #expect(pair.serverEvents.requests.count == 20)
        #expect(pair.client.openStreams == 10)
        #expect(pair.server.openStreams == 10)
    }

    @Test func refusesStreamsAboveLimitThatClientHasNotReceived() throws {
        let pair = try MemoryConnection(serverSettings: HTTP2Settings(maxConcurrentStreams: 5))
        pair.serverEvents.answer = { _, _ in }
        try pair.exchange()
        // The server sends the new limit, but it has not arrived when the client opens streams under the old limit.
        try pair.server.changeSettings(HTTP2Settings(maxConcurrentStreams: 2))
        let settings = try pair.server.output()
        for tag in 0..<5 {
            try pair.client.post("/", tag: tag)
        }
        try pair.move(pair.client, to: pair.server)
        try settings.withUnsafeBytes { try pair.client.receive($0) }
        try pair.exchange()
        let closed = (0..<5).map { pair.clientEvents.responses[$0]?.closed }
        #expect(closed == [nil, nil, .refusedStream, .refusedStream, .refusedStream])
        #expect(pair.client.openStreams == 2)
    }

    @Test func reusesMemoryForTenThousandStreams() throws {
        let pair = try MemoryConnection(serverSettings: HTTP2Settings(maxConcurrentStreams: 50))
        pair.serverEvents.answer = { session, request in
            try session.respond(to: request.streamID, fields: okFields())
        }
        try pair.exchange()
        for round in 0..<200 {
            for number in 0..<50 {
                try pair.client.post("/", tag: round * 50 + number)
            }
            try pair.exchange()
        }
        #expect(pair.clientEvents.responses.count == 10_000)
        #expect(pair.clientEvents.responses.values.allSatisfy { $0.status == 200 && $0.closed == .noError })
        #expect(pair.client.openStreams == 0 && pair.server.openStreams == 0)
        #expect(pair.client.recordCapacity == 64 && pair.server.recordCapacity == 64)
    }

    @Test func releasesFieldsAndBodyWhenStreamCloses() throws {
        let pair = try MemoryConnection()
        weak var heldFields: HTTP2Fields?
        weak var heldBody: HTTP2Body?
        var seenWhileOpen = false
        do {
            let fields = try HTTP2Fields([HTTP2Field("apns-topic", "com.example")])
            let body = HTTP2Body(Array("{}".utf8))
            heldFields = fields
            heldBody = body
            _ = try pair.client.submit(
                connectionFields: connectionFields(), path: "/", requestFields: fields, body: body, tag: 0)
        }
        pair.serverEvents.answer = { session, request in
            seenWhileOpen = heldFields != nil && heldBody != nil
            try session.respond(to: request.streamID, fields: okFields())
        }
        try pair.exchange()
        #expect(seenWhileOpen)
        #expect(heldFields == nil && heldBody == nil)
    }

    @Test func releasesBodyWithSession() throws {
        weak var heldBody: HTTP2Body?
        do {
            let client = try HTTP2ClientSession()
            let body = HTTP2Body(Array("{}".utf8))
            heldBody = body
            _ = try client.submit(
                connectionFields: connectionFields(), path: "/", requestFields: HTTP2Fields([]), body: body, tag: 0)
            #expect(heldBody != nil)
        }
        #expect(heldBody == nil)
    }
}
