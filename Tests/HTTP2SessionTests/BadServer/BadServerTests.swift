import HTTP2Session
import Testing

/// Invalid or excessive input from a server, in the order of RFC 9113 and RFC 7541.
@Suite struct BadServerTests {
    /// A client with open requests on streams 1, 3 and 5, which has received the server's SETTINGS.
    struct Client {
        let session: HTTP2ClientSession
        let events = ClientRecorder()

        init(body: [UInt8] = Array("{}".utf8)) throws {
            session = try HTTP2ClientSession(delegate: events)
            try RawFrame.emptySettings.bytes.receive(by: session)
            for tag in 0..<3 { try session.post("/\(tag)", body: body, tag: tag) }
            _ = try session.output()
        }

        /// Feeds the session a valid answer on a stream.
        func answer(stream: UInt32) throws {
            try RawFrame.headers(HeaderBlock.ok, stream: stream, flags: RawFrame.endHeaders | RawFrame.endStream).bytes
                .receive(by: session)
            _ = try session.output()
        }
    }

    @Test(arguments: BadServerCase.frames + BadServerCase.messages)
    func handlesInvalidInputAsExpected(_ input: BadServerCase) throws {
        // Input in one piece and in small pieces must have the same effect. Single bytes are not tested, because the
        // library counts each piece of a CONTINUATION header towards a flood.
        for pieceSize in [input.bytes.count, 3] {
            let client = try Client()
            let error = feed(client, input.bytes, pieceSize)
            try check(client, error, input)
        }
    }

    private func feed(_ client: Client, _ bytes: [UInt8], _ pieceSize: Int) -> HTTP2Error? {
        do throws(HTTP2Error) {
            for start in stride(from: 0, to: bytes.count, by: pieceSize) {
                try Array(bytes[start..<min(start + pieceSize, bytes.count)]).receive(by: client.session)
            }
        } catch {
            return error
        }
        return client.session.lastOutput().error
    }

    private func check(_ client: Client, _ error: HTTP2Error?, _ input: BadServerCase) throws {
        switch end(of: client, error, input) {
        case .connection(let code, let words):
            let error = try #require(error, "the connection must end: \(client.events.responses)")
            #expect(error.kind == .connection(code), "\(error)")
            #expect(error.message.contains(words), "\(error)")
            #expect(!client.session.wantsRead && !client.session.takesRequests)
            #expect(throws: error) { try RawFrame.emptySettings.bytes.receive(by: client.session) }
        case .stream(let code):
            #expect(error == nil)
            #expect(client.events.responses[0]?.closed == code, "\(client.events.responses)")
            #expect(client.events.responses[0]?.ended != true)
            #expect(client.session.openStreams == 2)
            try answersStillCome(client, on: [3, 5])
        case .ignored:
            #expect(error == nil)
            let closed = client.events.responses.filter { $0.value.closed != nil }
            #expect(closed.allSatisfy { $0.value.ended }, "\(client.events.responses)")
            try answersStillCome(client, on: closed.isEmpty ? [1, 3, 5] : [3, 5])
        }
    }

    /// Returns the expected effect, which is that of the newer nghttp2 if the state of the client matches it.
    private func end(of client: Client, _ error: HTTP2Error?, _ input: BadServerCase) -> BadServerCase.End {
        guard let newer = input.newerEnd else { return input.end }
        let first = client.events.responses[0]
        let isNewer =
            switch newer {
            case .connection: error != nil
            case .stream(let code): error == nil && first?.closed == code
            case .ignored: error == nil && (first?.closed == nil || first?.ended == true)
            }
        return isNewer ? newer : input.end
    }

    private func answersStillCome(_ client: Client, on streams: [UInt32]) throws {
        for stream in streams { try client.answer(stream: stream) }
        #expect(client.session.openStreams == 0)
        for stream in streams {
            let response = client.events.responses[Int(stream) / 2]
            #expect(response?.status == 200 && response?.ended == true && response?.closed == .noError)
        }
    }

    /// Frames that are valid one by one, but useless in large numbers.
    static let floods: [(name: String, frame: RawFrame)] = [
        ("PING", RawFrame(type: RawFrame.ping, payload: Array(repeating: 0, count: 8))),
        ("PING that is acknowledged", RawFrame(type: RawFrame.ping, flags: 1, payload: Array(repeating: 0, count: 8))),
        ("SETTINGS", .emptySettings),
        ("PRIORITY", RawFrame(type: RawFrame.priority, stream: 1, payload: [0, 0, 0, 3, 1])),
        ("RST_STREAM", .resetStream(8)),
        ("WINDOW_UPDATE", .windowUpdate(1)),
        ("interim responses", .headers(HeaderBlock.status("103"))),
        ("GOAWAY", .goAway(last: 5)),
    ]

    /// The server reads our answers, so the flood uses no memory. The connection must end nevertheless.
    @Test(arguments: floods) func endsConnectionOnFlood(name: String, frame: RawFrame) throws {
        let client = try Client()
        var sent = 0
        let error = #expect(throws: HTTP2Error.self) {
            while sent < 100_000 {
                try frame.bytes.receive(by: client.session)
                _ = try client.session.output()
                sent += 1
            }
        }
        #expect(error?.kind == .flooded, "\(String(describing: error))")
        #expect(error?.message.contains("in a row") == true, "\(String(describing: error))")
    }

    /// The server does not read our answers.
    @Test func limitsUnreadAnswersToFlood() throws {
        for frame in Self.floods.map(\.frame)
        where [RawFrame.ping, RawFrame.settings].contains(frame.type) && frame.flags == 0 {
            let client = try Client()
            var sent = 0
            let error = #expect(throws: HTTP2Error.self) {
                while sent < 100_000 {
                    try frame.bytes.receive(by: client.session)
                    sent += 1
                }
            }
            #expect(error?.kind == .flooded)
            #expect(sent < 5_000)
        }
    }

    @Test func endsConnectionOnFloodOfContinuations() throws {
        let client = try Client()
        let error = #expect(throws: HTTP2Error.self) {
            try RawFrame.headers(HeaderBlock.ok, flags: 0).bytes.receive(by: client.session)
            for _ in 0..<1_000 {
                try RawFrame(type: RawFrame.continuation, stream: 1).bytes.receive(by: client.session)
                _ = try client.session.output()
            }
        }
        #expect(error?.kind == .flooded)
        #expect(error?.message.contains("CONTINUATION") == true, "\(String(describing: error))")
    }

    /// The same frames are allowed if answers arrive between them.
    @Test func acceptsManyFramesBetweenAnswers() throws {
        let session = try HTTP2ClientSession()
        try RawFrame.emptySettings.bytes.receive(by: session)
        for round in 0..<30 {
            let stream = try session.post("/")
            _ = try session.output()
            for _ in 0..<1_000 { try RawFrame.windowUpdate(1).bytes.receive(by: session) }
            try RawFrame.headers(
                HeaderBlock.ok, stream: UInt32(stream), flags: RawFrame.endHeaders | RawFrame.endStream
            ).bytes.receive(by: session)
            #expect(session.openStreams == 0, "round \(round)")
        }
    }

    /// The stream closes although the server never grants window for the rest of the request.
    @Test func closesStreamAnsweredBeforeRequestIsComplete() throws {
        let client = try Client(body: [UInt8](repeating: 0x20, count: 70_000))
        #expect(client.session.openStreams == 3)
        for stream: UInt32 in [1, 3, 5] { try client.answer(stream: stream) }
        #expect(client.events.responses.values.allSatisfy { $0.ended && $0.closed == .cancel })
        #expect(client.session.openStreams == 0)
        #expect(client.session.takesRequests)
    }
}
