internal import HTTP2Session
internal import NIOHTTP1

/// A request over HTTP/1.1 while it comes in, and as a stream.
struct HTTP1Request {
    private let head: HTTPRequestHead
    var body: [UInt8] = []
    /// More than any service takes.
    private static let longestBody = 1 << 20
    /// What is between two neighbours only, and no field of HTTP/2 (RFC 9113, section 8.2.2); `host` has another name there.
    private static let ofTheConnection: Set<String> = [
        "connection", "expect", "host", "http2-settings", "keep-alive", "proxy-connection", "te", "transfer-encoding",
        "upgrade",
    ]

    init(_ head: HTTPRequestHead) {
        self.head = head
    }

    var isTooLong: Bool { body.count > Self.longestBody }
    var isKeptAlive: Bool { head.isKeepAlive }

    /// - Throws: `HTTP2Error` if it is none that HTTP has, or comes too late.
    func submit(to session: HTTP2ClientSession) throws(HTTP2Error) {
        guard let host = head.headers.first(name: "host") else {
            throw HTTP2Error(.invalidField, "a request without Host")
        }
        let pseudo = try HTTP2Fields([
            HTTP2Field(":method", head.method.rawValue), HTTP2Field(":scheme", "https"), HTTP2Field(":authority", host),
        ])
        let fields = try HTTP2Fields(
            head.headers.map { HTTP2Field($0.name.lowercased(), $0.value) }
                .filter { !Self.ofTheConnection.contains($0.name) })
        var path = head.uri
        // Typed throws do not pass through the string's accessor.
        _ = try path.withUTF8 { path in
            Result { () throws(HTTP2Error) in
                try session.submit(
                    connectionFields: pseudo, path: UnsafeRawBufferPointer(path), requestFields: fields,
                    body: HTTP2Body(body), tag: 0)
            }
        }.get()
    }
}
