/// A proxy's answer to CONNECT (RFC 9110, section 9.3.6; RFC 9112, section 4). Its header fields are ignored.
package enum ProxyAnswer: Equatable {
    case incomplete
    /// The proxy has opened the tunnel, whose data begins after `length` bytes of the answer.
    case open(length: Int)
    case refused(status: Int)
    case unintelligible

    /// The maximum length of the answer's head, in bytes.
    package static let maximumLength = 16_384

    package init(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes.prefix(Self.maximumLength))
        let version = Array("HTTP/1.".utf8)
        // The version is checked before the head is complete, because a server that speaks another protocol may never
        // end its head.
        guard bytes.prefix(version.count).elementsEqual(version.prefix(bytes.count)) else {
            self = .unintelligible
            return
        }
        let end = Array("\r\n\r\n".utf8)
        let length = bytes.indices.first { bytes[$0...].starts(with: end) }.map { $0 + end.count }
        guard let length else {
            self = bytes.count < Self.maximumLength ? .incomplete : .unintelligible
            return
        }
        let digits = bytes.dropFirst(version.count + 2).prefix(3)
        guard bytes[version.count + 1] == UInt8(ascii: " "), let status = Int(String(decoding: digits, as: UTF8.self)),
            (100..<600).contains(status)
        else {
            self = .unintelligible
            return
        }
        self = (200..<300).contains(status) ? .open(length: length) : .refused(status: status)
    }
}
