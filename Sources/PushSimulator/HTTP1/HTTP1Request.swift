internal import HTTP2Session
internal import NIOHTTP1

/// An HTTP/1.1 request that is being received. It can be submitted as a stream of an HTTP/2 session.
struct HTTP1Request {
    private let head: HTTPRequestHead
    var body: [UInt8] = []
    /// The maximum size of a body in bytes. It is larger than any service accepts.
    private static let longestBody = 1 << 20
    /// The header fields that are removed from a request. Most of them concern a single hop and are not allowed in
    /// HTTP/2 (RFC 9113, section 8.2.2). HTTP/2 sends `host` as `:authority`, and ``HTTP1Translator`` itself handles
    /// `expect`.
    private static let ofTheConnection: Set<String> = [
        "connection", "expect", "host", "http2-settings", "keep-alive", "proxy-connection", "te", "transfer-encoding",
        "upgrade",
    ]

    init(_ head: HTTPRequestHead) {
        self.head = head
    }

    var isTooLong: Bool { body.count > Self.longestBody }
    var isKeptAlive: Bool { head.isKeepAlive }

    /// Submits the request to a session.
    ///
    /// - Throws: `HTTP2Error` if the request is not valid in HTTP, or if the session is closing.
    func submit(to session: HTTP2ClientSession) throws(HTTP2Error) {
        guard let host = head.headers.first(name: "host") else {
            throw HTTP2Error(.invalidField, "the request has no Host field")
        }
        let pseudo = try HTTP2Fields([
            HTTP2Field(":method", head.method.rawValue), HTTP2Field(":scheme", "https"), HTTP2Field(":authority", host),
        ])
        let fields = try HTTP2Fields(
            head.headers.map { HTTP2Field($0.name.lowercased(), $0.value) }
                .filter { !Self.ofTheConnection.contains($0.name) })
        var path = head.uri
        // `withUTF8` does not propagate typed throws, so the error is passed as a `Result`.
        _ = try path.withUTF8 { path in
            Result { () throws(HTTP2Error) in
                try session.submit(
                    connectionFields: pseudo, path: UnsafeRawBufferPointer(path), requestFields: fields,
                    body: HTTP2Body(body), tag: 0)
            }
        }.get()
    }
}
