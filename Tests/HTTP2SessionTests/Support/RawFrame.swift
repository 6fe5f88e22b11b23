/// A hand-written frame, for input that no session would send (RFC 9113, section 4.1).
struct RawFrame {
    var type: UInt8
    var flags: UInt8 = 0
    var stream: UInt32 = 0
    var payload: [UInt8] = []

    var bytes: [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16), UInt8(length >> 8 & 0xff), UInt8(length & 0xff), type, flags]
            + [24, 16, 8, 0].map { UInt8(stream >> $0 & 0xff) } + payload
    }

    static let data: UInt8 = 0, headers: UInt8 = 1, settings: UInt8 = 4, pushPromise: UInt8 = 5, ping: UInt8 = 6
    static let windowUpdate: UInt8 = 8, continuation: UInt8 = 9
    static let acknowledgement: UInt8 = 1, endStream: UInt8 = 1, endHeaders: UInt8 = 4

    static let emptySettings = RawFrame(type: settings)
    static let clientPreface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
}
