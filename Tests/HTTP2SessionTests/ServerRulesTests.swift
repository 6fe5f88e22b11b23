import HTTP2Session
import Testing

/// The server session against clients that break the rules, with hand-written frames.
@Suite struct ServerRulesTests {
    /// A server whose client has acknowledged its settings.
    private struct Peer {
        let server: HTTP2ServerSession
        let events = ServerRecorder()

        init(limit: UInt32? = nil) throws {
            server = try HTTP2ServerSession(settings: HTTP2Settings(maxConcurrentStreams: limit))
            server.delegate = events
            events.answer = { _, _ in }
            events.session = server
            try send(RawFrame.clientPreface + RawFrame.emptySettings.bytes)
            _ = try server.output()
            try send(RawFrame(type: RawFrame.settings, flags: RawFrame.acknowledgement).bytes)
        }

        func send(_ bytes: [UInt8]) throws {
            try bytes.withUnsafeBytes { try server.receive($0) }
        }

        func send(_ frames: RawFrame...) throws {
            try send(frames.flatMap(\.bytes))
        }

        /// Returns the frames that the server sends, as type, stream and payload.
        func output() throws -> [(type: UInt8, stream: UInt32, payload: [UInt8])] {
            var bytes = try server.output()[...]
            var frames: [(UInt8, UInt32, [UInt8])] = []
            while bytes.count >= 9 {
                let head = Array(bytes.prefix(9))
                let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
                let stream = head[5...8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                frames.append((head[3], stream, Array(bytes.dropFirst(9).prefix(length))))
                bytes = bytes.dropFirst(9 + length)
            }
            return frames
        }
    }

    private static let request =
        HeaderBlock.field(":method", "POST") + HeaderBlock.field(":scheme", "https") + HeaderBlock.field(":path", "/")
        + HeaderBlock.field(":authority", "a")
    private static let refused: [UInt8] = [0, 0, 0, 7], protocolError: [UInt8] = [0, 0, 0, 1]

    @Test func announcesOnlyConfiguredSettings() throws {
        let server = try HTTP2ServerSession(
            settings: HTTP2Settings(maxConcurrentStreams: 3, maxHeaderListSize: 8_000))
        #expect(
            try server.output() == [0, 0, 12, 4, 0, 0, 0, 0, 0] + [0, 3, 0, 0, 0, 3] + [0, 6, 0, 0, 0x1f, 0x40])
        try server.changeSettings(HTTP2Settings(maxConcurrentStreams: 9))
        #expect(try server.output() == [0, 0, 6, 4, 0, 0, 0, 0, 0] + [0, 3, 0, 0, 0, 9])
    }

    /// The session itself refuses the stream, because nghttp2 would end the connection.
    @Test func refusesOneStreamAboveAcknowledgedLimit() throws {
        let peer = try Peer(limit: 1)
        try peer.send(.headers(Self.request, stream: 1), .headers(Self.request, stream: 3))
        try peer.send(.data([1], stream: 3, flags: RawFrame.endStream))
        let frames = try peer.output()
        #expect(frames.map(\.type) == [RawFrame.resetStream] && frames.map(\.stream) == [3])
        #expect(frames.first?.payload == Self.refused)
        #expect(peer.events.requests.count == 1 && peer.events.refused == [3])
        // A raised limit applies at once, before the client acknowledges it.
        try peer.server.changeSettings(HTTP2Settings(maxConcurrentStreams: 2))
        try peer.send(.headers(Self.request, stream: 5), .headers(Self.request, stream: 7))
        #expect(peer.events.requests.count == 2 && peer.events.refused == [3, 7])
        try peer.send(.data([1], stream: 1, flags: RawFrame.endStream))
        #expect(peer.events.requests.first?.ended == true)
    }

    @Test func allowsClientToCancelManyStreams() throws {
        let peer = try Peer()
        for stream in stride(from: UInt32(1), to: 10_001, by: 2) {
            try peer.send(.headers(Self.request, stream: stream), .resetStream(8, stream: stream))
        }
        #expect(peer.events.requests.count == 5_000)
        #expect(try peer.output().allSatisfy { $0.type != RawFrame.goAway })
        #expect(peer.server.wantsRead)
    }

    @Test func reportsTrailersSeparatelyFromFields() throws {
        let peer = try Peer()
        try peer.send(
            .headers(Self.request), .data([1]),
            .headers(HeaderBlock.field("late", "1"), flags: RawFrame.endHeaders | RawFrame.endStream))
        #expect(peer.events.requests.first?.fields.count == 4)
        #expect(peer.events.trailers == ["late: 1"])
        #expect(peer.events.requests.first?.ended == true)
    }

    @Test(
        arguments: [
            ("field name in upper case", request + HeaderBlock.field("X-Top", "secret"), "X-Top"),
            ("no :path", HeaderBlock.field(":method", "POST"), "HEADERS frame on stream 1"),
            ("body longer than content-length", request + HeaderBlock.field("content-length", "1"), "stream 1"),
        ] as [(String, [UInt8], String)])
    func reportsMalformedRequests(what: String, block: [UInt8], named: String) throws {
        let peer = try Peer()
        try peer.send(.headers(block), .data([1, 2, 3], flags: RawFrame.endStream))
        let frames = try peer.output()
        #expect(frames.contains { $0.type == RawFrame.resetStream && $0.payload == Self.protocolError }, "\(what)")
        #expect(peer.events.malformed.count == 1, "\(peer.events.malformed)")
        #expect(peer.events.malformed.first?.contains(named) == true, "\(peer.events.malformed)")
        #expect(peer.events.malformed.first?.contains("secret") == false)
    }

    @Test func endsConnectionOnFloodOfUnreadRefusals() throws {
        let peer = try Peer(limit: 0)
        let error = #expect(throws: HTTP2Error.self) {
            // The client opens more streams and does not read the resets of the refused streams.
            for stream in stride(from: UInt32(1), to: 40_001, by: 2) {
                try peer.send(.headers(Self.request, stream: stream))
            }
        }
        #expect(error?.kind == .flooded, "\(String(describing: error))")
        #expect(peer.events.refused.count <= 10_000)
    }

    @Test func countsUnfinishedHeaderBlocks() throws {
        let peer = try Peer()
        try peer.send(.headers(Array(Self.request.prefix(10)), flags: 0))
        #expect(peer.server.unfinishedHeaders == 1)
        try peer.send(
            RawFrame(
                type: RawFrame.continuation, flags: RawFrame.endHeaders, stream: 1,
                payload: Array(Self.request.dropFirst(10))))
        #expect(peer.server.unfinishedHeaders == 0)
        #expect(peer.events.requests.first?.fields.count == 4)
    }
}
