import HTTP2Session

/// Cases with invalid frames (RFC 9113, sections 4 to 6).
extension BadServerCase {
    static let zeros = [UInt8](repeating: 0, count: 20_000)

    static let frames: [BadServerCase] = [
        .init("DATA on the connection", .data([1], stream: 0), end: .connection(.protocolError, "DATA")),
        .init("DATA on an idle stream", .data([1], stream: 99), end: .connection(.protocolError, "DATA")),
        .init("DATA before HEADERS", .data([1]), end: .connection(.protocolError, "DATA: stream not opened")),
        .init("DATA larger than allowed", .data(zeros), end: .connection(.frameSizeError, "too large frame size")),
        .init(
            "DATA with more padding than payload", .data([5, 1], flags: RawFrame.padded),
            end: .connection(.protocolError, "DATA")),
        .init(
            "DATA after the end of the stream",
            .headers(HeaderBlock.ok, flags: RawFrame.endHeaders | RawFrame.endStream),
            .data([1]), end: .ignored),
        .init(
            "HEADERS on the connection", .headers(HeaderBlock.ok, stream: 0),
            end: .connection(.protocolError, "HEADERS")),
        .init(
            "HEADERS on a stream with an even number", .headers(HeaderBlock.ok, stream: 2),
            end: .connection(.protocolError, "HEADERS")),
        .init(
            "HEADERS on an idle stream", .headers(HeaderBlock.ok, stream: 99),
            end: .connection(.protocolError, "HEADERS")),
        .init(
            "HEADERS with more padding than payload",
            .headers([9, 0x88], flags: RawFrame.endHeaders | RawFrame.padded),
            end: .connection(.protocolError, "HEADERS")),
        .init(
            "HEADERS too short for its priority", .headers([0, 0], flags: RawFrame.endHeaders | RawFrame.hasPriority),
            end: .connection(.frameSizeError, "a frame of the wrong size")),
        .init(
            "another frame in place of CONTINUATION", .headers(HeaderBlock.ok, flags: 0),
            RawFrame(type: RawFrame.ping, payload: Array(zeros[..<8])),
            end: .connection(.protocolError, "CONTINUATION")),
        .init(
            "CONTINUATION of another stream", .headers(HeaderBlock.ok, flags: 0),
            RawFrame(type: RawFrame.continuation, flags: RawFrame.endHeaders, stream: 3),
            end: .connection(.protocolError, "CONTINUATION")),
        .init(
            "CONTINUATION without HEADERS",
            RawFrame(type: RawFrame.continuation, flags: RawFrame.endHeaders, stream: 1),
            end: .connection(.protocolError, "CONTINUATION")),
        .init(
            "PRIORITY on the connection", RawFrame(type: RawFrame.priority, payload: [0, 0, 0, 1, 1]),
            end: .connection(.protocolError, "PRIORITY"), newer: .ignored),
        .init(
            "PRIORITY of a wrong size", RawFrame(type: RawFrame.priority, stream: 1, payload: [0]),
            end: .connection(.frameSizeError, "a frame of the wrong size")),
        .init("PRIORITY", RawFrame(type: RawFrame.priority, stream: 1, payload: [0, 0, 0, 3, 1]), end: .ignored),
        .init(
            "RST_STREAM on the connection", .resetStream(0, stream: 0), end: .connection(.protocolError, "RST_STREAM")),
        .init(
            "RST_STREAM on an idle stream", .resetStream(0, stream: 99), end: .connection(.protocolError, "RST_STREAM")),
        .init(
            "RST_STREAM of a wrong size", RawFrame(type: RawFrame.resetStream, stream: 1, payload: [0]),
            end: .connection(.frameSizeError, "a frame of the wrong size")),
        .init(
            "RST_STREAM with an unknown code", .resetStream(0xdead_beef),
            end: .stream(HTTP2ErrorCode(rawValue: 0xdead_beef))),
        .init("RST_STREAM without an answer", .resetStream(0), end: .stream(.noError)),
        .init(
            "SETTINGS on a stream", RawFrame(type: RawFrame.settings, stream: 1),
            end: .connection(.protocolError, "SETTINGS")),
        .init(
            "SETTINGS of a wrong size", RawFrame(type: RawFrame.settings, payload: [1, 2, 3]),
            end: .connection(.frameSizeError, "SETTINGS")),
        .init(
            "acknowledgement of SETTINGS with contents",
            RawFrame(type: RawFrame.settings, flags: RawFrame.acknowledgement, payload: Array(zeros[..<6])),
            end: .connection(.frameSizeError, "SETTINGS")),
        .init(
            "acknowledgements of SETTINGS that were never sent",
            RawFrame(type: RawFrame.settings, flags: RawFrame.acknowledgement),
            RawFrame(type: RawFrame.settings, flags: RawFrame.acknowledgement),
            end: .connection(.protocolError, "SETTINGS")),
        .init("ENABLE_PUSH from a server", .settings(2, 1), end: .connection(.protocolError, "SETTINGS")),
        .init("ENABLE_PUSH of 2", .settings(2, 2), end: .connection(.protocolError, "SETTINGS")),
        .init(
            "INITIAL_WINDOW_SIZE beyond 2^31-1", .settings(4, 0x8000_0000),
            end: .connection(.flowControlError, "SETTINGS")),
        .init("MAX_FRAME_SIZE below 16,384", .settings(5, 16_383), end: .connection(.protocolError, "SETTINGS")),
        .init("MAX_FRAME_SIZE above 2^24-1", .settings(5, 0x100_0000), end: .connection(.protocolError, "SETTINGS")),
        .init("unknown setting", .settings(0xef, .max), end: .ignored),
        .init(
            "INITIAL_WINDOW_SIZE that overflows an open stream's window", .windowUpdate(0x7fff_0000, stream: 1),
            .settings(4, 0x7fff_ffff), end: .stream(.flowControlError),
            newer: .connection(.flowControlError, "SETTINGS")),
        .init(
            "PUSH_PROMISE although push is disabled",
            RawFrame(type: RawFrame.settings, flags: RawFrame.acknowledgement),
            RawFrame(type: RawFrame.pushPromise, flags: RawFrame.endHeaders, stream: 1, payload: [0, 0, 0, 2, 0x82]),
            end: .connection(.protocolError, "PUSH_PROMISE")),
        .init(
            "PING on a stream", RawFrame(type: RawFrame.ping, stream: 1, payload: Array(zeros[..<8])),
            end: .connection(.protocolError, "PING")),
        .init(
            "PING of a wrong size", RawFrame(type: RawFrame.ping, payload: Array(zeros[..<7])),
            end: .connection(.frameSizeError, "a frame of the wrong size")),
        .init(
            "acknowledgement of a PING that was never sent",
            RawFrame(type: RawFrame.ping, flags: RawFrame.acknowledgement, payload: Array(zeros[..<8])), end: .ignored),
        .init(
            "GOAWAY on a stream", RawFrame(type: RawFrame.goAway, stream: 1, payload: Array(zeros[..<8])),
            end: .connection(.protocolError, "GOAWAY")),
        .init(
            "GOAWAY of a wrong size", RawFrame(type: RawFrame.goAway, payload: [0]),
            end: .connection(.frameSizeError, "a frame of the wrong size")),
        .init(
            "GOAWAY with a last stream of even number", .goAway(last: 2), end: .connection(.protocolError, "GOAWAY")),
        .init(
            "GOAWAY with a growing last stream", .goAway(last: 5), .goAway(last: 7),
            end: .connection(.protocolError, "GOAWAY")),
        .init(
            "GOAWAY larger than allowed", .goAway(last: 5, debugData: zeros),
            end: .connection(.frameSizeError, "too large frame size")),
        .init(
            "WINDOW_UPDATE of 0 for the connection", .windowUpdate(0), end: .connection(.protocolError, "WINDOW_UPDATE")
        ),
        .init(
            "WINDOW_UPDATE of 0 for a stream", .windowUpdate(0, stream: 1),
            end: .connection(.protocolError, "WINDOW_UPDATE")),
        .init(
            "WINDOW_UPDATE on an idle stream", .windowUpdate(1, stream: 99),
            end: .connection(.protocolError, "WINDOW_UPDATE")),
        .init(
            "WINDOW_UPDATE of a wrong size", RawFrame(type: RawFrame.windowUpdate, payload: [1]),
            end: .connection(.frameSizeError, "a frame of the wrong size")),
        .init(
            "connection window beyond 2^31-1", .windowUpdate(0x7fff_ffff),
            end: .connection(.flowControlError, "")),
        .init(
            "stream window beyond 2^31-1", .windowUpdate(0x7fff_ffff, stream: 1),
            end: .stream(.flowControlError), newer: .connection(.flowControlError, "WINDOW_UPDATE")),
        .init(
            "frame of an unknown type", RawFrame(type: 0xee, flags: 0xff, stream: 1, payload: [1, 2, 3]),
            end: .ignored),
        .init(
            "answer in HTTP/1.1", bytes: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
            end: .connection(.frameSizeError, "too large frame size")),
    ]
}
