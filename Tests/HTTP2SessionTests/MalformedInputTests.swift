import HTTP2Session
import TestSupport
import Testing

@Suite struct MalformedInputTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var frames: [RawFrame]
        var code: HTTP2ErrorCode
    }

    static let cases = [
        Case(
            testDescription: "DATA on stream 0", frames: [.emptySettings, RawFrame(type: RawFrame.data, payload: [1])],
            code: .protocolError),
        Case(
            testDescription: "first frame is not SETTINGS",
            frames: [RawFrame(type: RawFrame.ping, payload: Array(repeating: 0, count: 8))], code: .protocolError),
        Case(
            testDescription: "unknown HPACK index",
            frames: [
                .emptySettings,
                RawFrame(type: RawFrame.headers, flags: RawFrame.endHeaders, stream: 1, payload: [0xff, 0xff, 0x10]),
            ], code: .compressionError),
        Case(
            testDescription: "frame larger than announced",
            frames: [
                .emptySettings, RawFrame(type: RawFrame.data, stream: 1, payload: Array(repeating: 0, count: 20_000)),
            ],
            code: .frameSizeError),
        Case(
            testDescription: "SETTINGS of 3 bytes", frames: [RawFrame(type: RawFrame.settings, payload: [1, 2, 3])],
            code: .frameSizeError),
        Case(
            testDescription: "PING of 7 bytes",
            frames: [.emptySettings, RawFrame(type: RawFrame.ping, payload: Array(repeating: 0, count: 7))],
            code: .frameSizeError),
        Case(
            testDescription: "connection window beyond 2^31-1",
            frames: [.emptySettings, RawFrame(type: RawFrame.windowUpdate, payload: [0x7f, 0xff, 0xff, 0xff])],
            code: .flowControlError),
        Case(
            testDescription: "server push although it is disabled",
            frames: [
                .emptySettings, RawFrame(type: RawFrame.settings, flags: RawFrame.acknowledgement),
                RawFrame(
                    type: RawFrame.pushPromise, flags: RawFrame.endHeaders, stream: 1, payload: [0, 0, 0, 2, 0x82]),
            ], code: .protocolError),
        Case(
            testDescription: "CONTINUATION without HEADERS",
            frames: [.emptySettings, RawFrame(type: RawFrame.continuation, stream: 1, payload: [0x82])],
            code: .protocolError),
        Case(
            testDescription: "header list over the limit",
            frames: [
                .emptySettings,
                RawFrame(
                    type: RawFrame.headers, flags: RawFrame.endHeaders, stream: 1,
                    payload: [0x88] + Array(repeating: 0x90, count: 500)),
            ], code: .enhanceYourCalm),
    ]

    @Test(arguments: cases) func endsClientSessionOnMalformedInput(_ input: Case) throws {
        let client = try HTTP2ClientSession()
        try client.post("/")
        _ = try client.output()
        let error = end(client, bytes: input.frames.flatMap(\.bytes))
        #expect(error?.kind == .connection(input.code), "\(String(describing: error))")
        #expect(error?.message.isEmpty == false)
    }

    /// Feeds the session until it fails, and checks that it sends GOAWAY and rejects further input.
    private func end(_ session: some HTTP2Endpoint, bytes: [UInt8]) -> HTTP2Error? {
        do throws(HTTP2Error) {
            try bytes.receive(by: session)
        } catch {
            return error
        }
        let (output, error) = session.lastOutput()
        #expect(output.count >= 17 && output.dropFirst(3).contains(7), "no GOAWAY in \(output)")
        #expect(!session.wantsRead)
        let later = #expect(throws: HTTP2Error.self) { try bytes.receive(by: session) }
        #expect(later == error)
        return error
    }

    @Test func endsServerSessionWithoutHTTP2Preface() throws {
        let server = try HTTP2ServerSession()
        let error = #expect(throws: HTTP2Error.self) {
            try Array("GET / HTTP/1.1\r\nhost: x\r\n\r\n".utf8).receive(by: server)
        }
        #expect(error?.kind == .badPreface)
        #expect(throws: HTTP2Error.self) { try RawFrame.clientPreface.receive(by: server) }
    }

    @Test func endsServerSessionOnFloodOfPings() throws {
        let server = try HTTP2ServerSession()
        let ping = RawFrame(type: RawFrame.ping, payload: Array(repeating: 0, count: 8)).bytes
        let error = #expect(throws: HTTP2Error.self) {
            try (RawFrame.clientPreface + RawFrame.emptySettings.bytes).receive(by: server)
            for _ in 0..<100_000 {
                try ping.receive(by: server)
            }
        }
        #expect(error?.kind == .flooded)
    }

    @Test func endsServerSessionOnOversizedHeaderList() throws {
        let server = try HTTP2ServerSession(settings: HTTP2Settings(maxHeaderListSize: 8_000))
        let events = ServerRecorder()
        server.delegate = events
        // Repeats the static entry `accept-encoding: gzip, deflate`, which counts as 60 bytes in a header list.
        let headers = RawFrame(
            type: RawFrame.headers, flags: RawFrame.endHeaders | RawFrame.endStream, stream: 1,
            payload: [0x83, 0x87, 0x84] + Array(repeating: 0x90, count: 400))
        try (RawFrame.clientPreface + RawFrame.emptySettings.bytes + headers.bytes).receive(by: server)
        let (_, error) = server.lastOutput()
        #expect(error?.kind == .connection(.enhanceYourCalm))
        #expect(error?.message.contains("8000") == true)
        #expect(events.requests.allSatisfy { !$0.ended })
    }

    @Test func rejectsInputInsideCallback() throws {
        let pair = try MemoryConnection()
        var inner: HTTP2Error?
        pair.clientEvents.onClose = { [client = pair.client] _ in
            do throws(HTTP2Error) {
                try [UInt8]().receive(by: client)
            } catch {
                inner = error
            }
        }
        try pair.client.post("/")
        try pair.exchange()
        #expect(inner?.kind == .misuse)
    }

    /// Damaged input may end the session, but must never crash the process. Fixed seeds make failures repeatable.
    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func survivesDamagedInput(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var ended = 0
        for _ in 0..<1_000 {
            let pair = try MemoryConnection()
            pair.serverEvents.answer = { session, request in
                try session.respond(to: request.streamID, fields: okFields(), body: HTTP2Body(request.body))
            }
            do {
                for tag in 0..<3 {
                    try pair.client.post("/\(tag)", tag: tag)
                    var toServer = try pair.client.output()
                    toServer.damage(&random)
                    try toServer.receive(by: pair.server)
                    var toClient = try pair.server.output()
                    toClient.damage(&random)
                    try toClient.receive(by: pair.client)
                }
            } catch is HTTP2Error {
                ended += 1
            }
        }
        #expect(ended > 0)
    }
}

extension [UInt8] {
    func receive(by session: some HTTP2Endpoint) throws(HTTP2Error) {
        try withUnsafeBytes { bytes in
            Result { () throws(HTTP2Error) in try session.receive(bytes) }
        }.get()
    }

    mutating func damage(_ random: inout SplitMix64) {
        guard !isEmpty else { return }
        for _ in 0..<Int(random.next() % 3) {
            self[Int(random.next() % UInt64(count))] = UInt8(truncatingIfNeeded: random.next())
        }
    }
}
