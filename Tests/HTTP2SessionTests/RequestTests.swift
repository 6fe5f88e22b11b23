import HTTP2Session
import Testing

@Suite struct RequestTests {
    @Test func deliversRequestWithFieldsInOrderAndAnswer() throws {
        let pair = try MemoryConnection()
        let body = Array(#"{"aps":{}}"#.utf8)
        pair.serverEvents.answer = { session, request in
            let value = Array("EABEAE54".utf8)
            try value.withUnsafeBytes { bytes in
                try session.respond(
                    to: request.streamID,
                    fields: HTTP2Fields([HTTP2Field(":status", "410"), HTTP2Field("content-type", "application/json")]),
                    body: HTTP2Body(Array("gone".utf8))
                ) { $0.append("apns-id", bytes) }
            }
        }
        let stream = try pair.client.submit(
            connectionFields: HTTP2Fields([
                HTTP2Field("authorization", "bearer x", neverIndexed: true), HTTP2Field(":method", "POST"),
                HTTP2Field(":scheme", "https"), HTTP2Field(":authority", "push.example"),
            ]), path: "/3/device/00", requestFields: HTTP2Fields([HTTP2Field("apns-topic", "com.example")]),
            body: HTTP2Body(body), tag: 77)
        try pair.exchange()

        #expect(stream == 1)
        #expect(
            pair.serverEvents.requests == [
                ServerRecorder.Request(
                    streamID: 1,
                    fields: [
                        ":method: POST", ":scheme: https", ":authority: push.example", ":path: /3/device/00",
                        "authorization: bearer x", "apns-topic: com.example",
                    ], body: body, ended: true, closed: .noError)
            ])
        #expect(
            pair.clientEvents.responses == [
                77: ClientRecorder.Response(
                    status: 410, fields: ["content-type: application/json", "apns-id: EABEAE54"],
                    body: Array("gone".utf8), ended: true, closed: .noError)
            ])
        #expect(pair.serverEvents.answerErrors.isEmpty)
    }

    @Test func endsRequestWithoutBodyAfterHeaders() throws {
        let pair = try MemoryConnection()
        try pair.client.post("/", body: [])
        try pair.exchange()
        #expect(pair.serverEvents.requests.first?.ended == true)
        #expect(pair.clientEvents.responses[0]?.status == 200)
    }

    @Test func reportsEndOfResponseBeforeStreamCloses() throws {
        let pair = try MemoryConnection()
        var endedAtClose: Bool?
        pair.clientEvents.onClose = { [clientEvents = pair.clientEvents] tag in
            endedAtClose = clientEvents.responses[tag]?.ended
        }
        try pair.client.post("/")
        try pair.exchange()
        #expect(endedAtClose == true)
    }

    @Test func sendsRequestSubmittedInCallback() throws {
        let pair = try MemoryConnection()
        var submitted = false
        pair.clientEvents.onClose = { [client = pair.client] _ in
            guard !submitted else { return }
            submitted = true
            _ = try? client.post("/second", tag: 2)
        }
        try pair.client.post("/first", tag: 1)
        try pair.exchange()
        #expect(pair.clientEvents.responses.keys.sorted() == [1, 2])
    }

    @Test(arguments: [("Upper-Case", "x"), ("", "x"), ("a b", "x"), ("ok", "a\r\nb"), ("ok", " x"), ("ok", "a\0")])
    func rejectsInvalidFieldByName(name: String, value: String) {
        let error = #expect(throws: HTTP2Error.self) { try HTTP2Fields([HTTP2Field(name, value)]) }
        #expect(error?.kind == .invalidField)
        #expect(error?.message.contains("'\(name)'") == true)
    }

    @Test func rejectsPseudoHeaderInRequestFields() throws {
        let pair = try MemoryConnection()
        let error = #expect(throws: HTTP2Error.self) {
            try pair.client.submit(
                connectionFields: connectionFields(), path: "/", requestFields: okFields(), body: HTTP2Body([]), tag: 0)
        }
        #expect(error?.kind == .misuse)
        #expect(pair.client.openStreams == 0)
    }

    @Test func ignoresInterimResponsesAndTrailers() throws {
        let client = try HTTP2ClientSession()
        let events = ClientRecorder()
        client.delegate = events
        try client.post("/", tag: 5)
        _ = try client.output()
        // Literal fields without indexing, with literal names (RFC 7541, section 6.2.2).
        func field(_ name: String, _ value: String) -> [UInt8] {
            [0, UInt8(name.utf8.count)] + name.utf8 + [UInt8(value.utf8.count)] + value.utf8
        }
        let frames = [
            RawFrame.emptySettings,
            RawFrame(
                type: RawFrame.headers, flags: RawFrame.endHeaders, stream: 1,
                payload: field(":status", "103") + field("link", "early")),
            RawFrame(
                type: RawFrame.headers, flags: RawFrame.endHeaders, stream: 1,
                payload: field(":status", "200") + field("apns-id", "A")),
            RawFrame(type: RawFrame.data, stream: 1, payload: [1, 2]),
            RawFrame(
                type: RawFrame.headers, flags: RawFrame.endHeaders | RawFrame.endStream, stream: 1,
                payload: field("trailer", "late")),
        ]
        try frames.flatMap(\.bytes).withUnsafeBytes { try client.receive($0) }
        #expect(
            events.responses == [
                5: ClientRecorder.Response(
                    status: 200, fields: ["apns-id: A"], body: [1, 2], ended: true, closed: .noError)
            ])
    }
}
