import HTTP2Session
import NIOHTTP1

extension HTTPRequestHead {
    /// Creates the head of an HTTP/1.1 request. Pseudo-header fields from HTTP/2 become the request line and `Host`
    /// (RFC 9113, section 8.3.1; RFC 9112, section 3).
    ///
    /// - Throws: `HTTP2Error` of kind `invalidField` if the path does not begin with a slash, or has a character that
    ///   is not allowed in a request line.
    init(
        connectionFields: HTTP2Fields, path: UnsafeRawBufferPointer, requestFields: HTTP2Fields, bodyBytes: Int
    ) throws(HTTP2Error) {
        guard path.first == UInt8(ascii: "/"), path.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw HTTP2Error(.invalidField, "the path does not begin with a slash, or has an invalid character")
        }
        self.init(version: .http1_1, method: .GET, uri: String(decoding: path, as: UTF8.self))
        for fields in [connectionFields, requestFields] {
            fields.forEach { name, value in
                switch name {
                case ":method": method = HTTPMethod(rawValue: value)
                case ":authority": headers.replaceOrAdd(name: "host", value: value)
                case _ where name.hasPrefix(":"): break
                default: headers.add(name: name, value: value)
                }
            }
        }
        // A server expects a length after POST, even for an empty body, but not after GET (RFC 9110, section 8.6).
        if bodyBytes > 0 || ![.GET, .HEAD, .DELETE].contains(method) {
            headers.replaceOrAdd(name: "content-length", value: "\(bodyBytes)")
        }
    }
}
