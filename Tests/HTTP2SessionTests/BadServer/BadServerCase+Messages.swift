import HTTP2Session

/// Cases with invalid messages (RFC 9113, section 8) and header compression (RFC 7541).
extension BadServerCase {
    private static func end(_ block: [UInt8]) -> RawFrame {
        .headers(block, flags: RawFrame.endHeaders | RawFrame.endStream)
    }

    private static let malformed: [(String, [UInt8])] = [
        ("response without :status", HeaderBlock.field("apns-id", "1")),
        ("two :status", HeaderBlock.ok + HeaderBlock.ok),
        (":status after a field", HeaderBlock.field("apns-id", "1") + HeaderBlock.ok),
        (":status that is not a number", HeaderBlock.status("abc")),
        (":status of one digit", HeaderBlock.status("0")),
        (":status of two digits", HeaderBlock.status("99")),
        (":status of four digits", HeaderBlock.status("1000")),
        (":status that is empty", HeaderBlock.status("")),
        (":status with a sign", HeaderBlock.status("-20")),
        (":status 101", HeaderBlock.status("101")),
        ("pseudo-header of requests", HeaderBlock.ok + HeaderBlock.field(":path", "/")),
        ("unknown pseudo-header", HeaderBlock.ok + HeaderBlock.field(":x", "1")),
        ("field name in upper case", HeaderBlock.ok + HeaderBlock.field("Apns-Id", "1")),
        ("connection field of HTTP/1.1", HeaderBlock.ok + HeaderBlock.field("connection", "close")),
        ("content-length that is not a number", HeaderBlock.ok + HeaderBlock.field("content-length", "x")),
        (
            "two content-length fields",
            HeaderBlock.ok + HeaderBlock.field("content-length", "0") + HeaderBlock.field("content-length", "0")
        ),
        ("body shorter than content-length", HeaderBlock.ok + HeaderBlock.field("content-length", "5")),
        ("interim response that ends the stream", HeaderBlock.status("103")),
    ]

    static let messages: [BadServerCase] =
        malformed.map { .init($0.0, end($0.1), end: .stream(.protocolError)) } + [
            .init(
                "empty field name", end(HeaderBlock.ok + HeaderBlock.field("", "1")), end: .stream(.protocolError),
                newer: .ignored),
            .init(
                ":status 000", end(HeaderBlock.status("000")), end: .stream(.internalError),
                newer: .stream(.protocolError)),
            .init(
                ":status 099", end(HeaderBlock.status("099")), end: .stream(.internalError),
                newer: .stream(.protocolError)),
            .init(
                "body longer than content-length", .headers(HeaderBlock.ok + HeaderBlock.field("content-length", "1")),
                .data([1, 2, 3]), end: .stream(.protocolError)),
            .init("204 with a body", .headers(HeaderBlock.status("204")), .data([1]), end: .stream(.protocolError)),
            .init(
                "trailers that do not end the stream", .headers(HeaderBlock.ok), .headers(HeaderBlock.field("x", "1")),
                end: .stream(.protocolError)),
            .init(
                "trailers with :status", .headers(HeaderBlock.ok), end(HeaderBlock.ok), end: .stream(.protocolError)),
            .init(
                "body after an interim response", .headers(HeaderBlock.status("103")), .data([1]),
                end: .stream(.protocolError)),
            .init("interim response", .headers(HeaderBlock.status("103")), end: .ignored),
            .init(
                "index that is not in the tables", .headers([0xff, 0x40]),
                end: .connection(.compressionError, "HEADERS frame on stream 1")),
            .init("index 0", .headers([0x80]), end: .connection(.compressionError, "HEADERS frame on stream 1")),
            .init(
                "index that overflows", .headers([0xff] + Array(repeating: 0xff, count: 12) + [0x7f]),
                end: .connection(.compressionError, "HEADERS frame on stream 1")),
            .init(
                "string length that overflows", .headers([0, 0x7f] + Array(repeating: 0xff, count: 12) + [0x7f]),
                end: .connection(.compressionError, "HEADERS frame on stream 1")),
            .init(
                "string longer than its block", .headers([0, 0x20, 0x61]),
                end: .connection(.compressionError, "HEADERS frame on stream 1")),
            .init(
                "table size above our limit", .headers([0x3f, 0xe2, 0x1f, 0x88]),
                end: .connection(.compressionError, "HEADERS frame on stream 1")),
            .init(
                "table size update after a field", .headers([0x88, 0x20]),
                end: .connection(.compressionError, "HEADERS frame on stream 1")),
            .init(
                "Huffman padding with zeros", .headers([0x88, 0, 0x81, 0x00, 0]),
                end: .connection(.compressionError, "HEADERS frame on stream 1")),
            .init(
                "end-of-string symbol in Huffman code", .headers([0x88, 0, 0x84, 0xff, 0xff, 0xff, 0xff, 0]),
                end: .connection(.compressionError, "HEADERS frame on stream 1")),
            .init(
                "header list over our limit", .headers(HeaderBlock.ok + Array(repeating: 0x90, count: 500)),
                end: .connection(.enhanceYourCalm, "header list is larger than 16384 bytes")),
        ]
}
