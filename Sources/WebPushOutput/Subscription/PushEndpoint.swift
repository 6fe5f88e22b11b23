package import Foundations

/// The parts of a subscription's endpoint. An endpoint is a secret URL that comes from an untrusted browser.
///
/// An endpoint uses https and names its host by a DNS name. It has no user and no fragment, and at most 2,048 bytes of
/// visible ASCII. Path and query stay byte for byte as the browser produced them. ``AllowedHosts`` decides whether
/// messages may go to the host.
package struct PushEndpoint: Equatable {
    package static let maximumBytes = 2_048
    /// The limits of DNS (RFC 1035, section 2.3.4), in bytes.
    private static let maximumHostBytes = 253
    private static let maximumLabelBytes = 63
    private static let scheme: StaticString = "https://"

    /// The origin, in lower case.
    package let origin: Endpoint
    /// The range of path and query in the endpoint.
    package let path: Range<Int>

    /// Parses an endpoint.
    ///
    /// - Throws: ``WebPushFault/badEndpoint`` if the text is not a valid endpoint.
    package init(_ text: UnsafeBufferPointer<UInt8>) throws(WebPushFault) {
        let start = Self.scheme.utf8CodeUnitCount
        guard Self.mayBeOne(text), Self.hasScheme(text),
            let slash = text[start...].firstIndex(of: UInt8(ascii: "/")),
            let origin = Self.origin(text[start..<slash])
        else { throw .badEndpoint }
        self.origin = origin
        path = slash..<text.count
    }

    /// Returns path and query of a valid endpoint. This is faster than parsing.
    static func path(of endpoint: Slice<UnsafeBufferPointer<UInt8>>) -> Slice<UnsafeBufferPointer<UInt8>> {
        endpoint.dropFirst(scheme.utf8CodeUnitCount).drop { $0 != UInt8(ascii: "/") }
    }

    /// Returns whether the text has the length and the bytes of an endpoint. This check is faster than parsing.
    static func mayBeOne(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.count <= maximumBytes && text.allSatisfy(mayBeInURL)
    }

    /// Returns whether an endpoint may contain this byte. It must be visible, and neither a number sign, which starts a
    /// fragment, nor a backslash, which browsers treat like a slash.
    private static func mayBeInURL(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "#") && byte != UInt8(ascii: "\\")
    }

    private static func hasScheme(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.count > scheme.utf8CodeUnitCount
            && zip(text, UnsafeBufferPointer(start: scheme.utf8Start, count: scheme.utf8CodeUnitCount))
                .allSatisfy { $0.lowerCase == $1 }
    }

    private static func origin(_ authority: Slice<UnsafeBufferPointer<UInt8>>) -> Endpoint? {
        let parts = authority.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, isName(host) else { return nil }
        let name = String(decoding: host.map(\.lowerCase), as: UTF8.self)
        guard parts.count > 1 else { return Endpoint(host: name, port: 443) }
        let digits = parts[1]
        guard (1...5).contains(digits.count), digits.allSatisfy(\.isDigit),
            let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
        else { return nil }
        return Endpoint(host: name, port: Int(port))
    }

    /// Returns whether the host is a name: labels of letters, digits and dashes. The last label must not begin with a
    /// digit, because the host could then be an IP address in an unusual form (127.1, 0x7f000001; WHATWG URL, "ends in
    /// a number").
    static func isName(_ host: some BidirectionalCollection<UInt8>) -> Bool {
        guard (1...maximumHostBytes).contains(host.count) else { return false }
        let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let last = labels.last, let first = last.first else { return false }
        return !first.isDigit
            && labels.allSatisfy { label in
                (1...maximumLabelBytes).contains(label.count) && label.first != UInt8(ascii: "-")
                    && label.last != UInt8(ascii: "-")
                    && label.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "-") || $0.isLetter }
            }
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) && self < 0x80 }
    fileprivate var lowerCase: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}
