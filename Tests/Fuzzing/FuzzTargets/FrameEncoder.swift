/// An encoder that turns a fuzzer's input into frames that a peer might send. Random bytes rarely form a frame that is
/// read beyond its header. Most steps therefore write well-formed frames with contents from the input.
enum FrameEncoder {
    /// Returns the bytes of one step of the peer, which may be invalid.
    static func step(_ kind: UInt8, _ input: inout InputReader, statusFields: Bool) -> [UInt8] {
        switch kind {
        case 0...9:
            let flags = input.byte()
            let stream = input.byte()
            let length = Int(input.byte())
            return frame(type: kind, flags: flags, stream: id(stream), payload: input.bytes(length))
        case 10: return input.bytes(Int(input.byte()))
        case 11: return message(&input, statusFields: statusFields)
        case 12:
            // A long body that uses few bytes of the input.
            let stream = input.byte()
            let count = Int(input.byte()) * 64
            return frame(
                type: 0, flags: input.byte() & 1, stream: id(stream), payload: Array(repeating: 0x20, count: count))
        case 13:
            // A SETTINGS frame with one setting. Most of these identifiers are defined. The value is arbitrary.
            let value = input.bytes(4)
            let setting = [0, input.byte() % 8] + value + Array(repeating: 0, count: 4 - value.count)
            return frame(type: 4, flags: 0, stream: 0, payload: setting)
        case 14:
            // A flood of one small frame.
            let type = input.byte() % 12
            let stream = id(input.byte())
            let one = frame(
                type: type, flags: input.byte(), stream: stream, payload: input.bytes(Int(input.byte() % 16)))
            return Array(repeatElement(one, count: Int(input.byte()) * 8).joined())
        default:
            // A frame that is announced and never completed.
            return [0, input.byte(), input.byte(), input.byte() % 12, input.byte(), 0, 0, 0, input.byte()]
        }
    }

    static func frame(type: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8]) -> [UInt8] {
        [UInt8(payload.count >> 16), UInt8(payload.count >> 8 & 0xff), UInt8(payload.count & 0xff), type, flags]
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: stream >> $0) } + payload
    }

    /// Returns a stream identifier. Most bytes produce a small identifier, which may be in use. The highest values
    /// produce the largest identifiers.
    private static func id(_ byte: UInt8) -> UInt32 {
        byte < 0xf8 ? UInt32(byte) : UInt32.max - UInt32(0xff - byte)
    }

    /// Returns a HEADERS frame with literal fields and the pseudo-headers of a valid message.
    private static func message(_ input: inout InputReader, statusFields: Bool) -> [UInt8] {
        let stream = id(input.byte())
        let flags = input.byte() & 0x05
        var block: [UInt8] = []
        if statusFields {
            block += literal(":status", statuses[Int(input.byte()) % statuses.count])
        } else {
            block += [0x83, 0x87, 0x84] + literal(":authority", "push.example")
        }
        for _ in 0..<input.byte() % 4 {
            let name = names[Int(input.byte()) % names.count]
            block += literal(name, input.bytes(Int(input.byte() % 64)))
        }
        return frame(type: 1, flags: flags, stream: stream, payload: block)
    }

    private static func literal(_ name: String, _ value: String) -> [UInt8] {
        literal(name, Array(value.utf8))
    }

    /// Returns a literal field without indexing, with name and value as text (RFC 7541, section 6.2.2). The lengths are
    /// below the limit of the 7-bit prefix.
    private static func literal(_ name: String, _ value: [UInt8]) -> [UInt8] {
        [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.count)] + value
    }

    private static let statuses = [
        "200", "400", "410", "503", "100", "103", "101", "204", "000", "099", "1000", "20", "abc", "-10", "", "999",
    ]
    private static let names = [
        "apns-id", "apns-unique-id", "content-length", "Upper", ":status", ":path", "connection", "te", "", "x",
    ]
}
