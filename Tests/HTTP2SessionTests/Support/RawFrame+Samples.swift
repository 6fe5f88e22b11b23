extension RawFrame {
    static let priority: UInt8 = 2, resetStream: UInt8 = 3, goAway: UInt8 = 7
    static let padded: UInt8 = 8, hasPriority: UInt8 = 0x20

    static func headers(_ block: [UInt8], stream: UInt32 = 1, flags: UInt8 = endHeaders) -> RawFrame {
        RawFrame(type: headers, flags: flags, stream: stream, payload: block)
    }

    static func data(_ payload: [UInt8], stream: UInt32 = 1, flags: UInt8 = 0) -> RawFrame {
        RawFrame(type: data, flags: flags, stream: stream, payload: payload)
    }

    static func settings(_ identifier: UInt8, _ value: UInt32) -> RawFrame {
        RawFrame(type: settings, payload: [0, identifier] + value.bigEndianBytes)
    }

    static func goAway(last: UInt32, debugData: [UInt8] = []) -> RawFrame {
        RawFrame(type: goAway, payload: last.bigEndianBytes + [0, 0, 0, 0] + debugData)
    }

    static func windowUpdate(_ increment: UInt32, stream: UInt32 = 0) -> RawFrame {
        RawFrame(type: windowUpdate, stream: stream, payload: increment.bigEndianBytes)
    }

    static func resetStream(_ code: UInt32, stream: UInt32 = 1) -> RawFrame {
        RawFrame(type: resetStream, stream: stream, payload: code.bigEndianBytes)
    }
}

extension UInt32 {
    var bigEndianBytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) } }
}

/// Hand-written HPACK (RFC 7541), with fields as literals without indexing.
enum HeaderBlock {
    /// The field `:status: 200`, from the static table.
    static let ok: [UInt8] = [0x88]

    static func field(_ name: String, _ value: String) -> [UInt8] {
        [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
    }

    static func status(_ value: String) -> [UInt8] { field(":status", value) }
}
