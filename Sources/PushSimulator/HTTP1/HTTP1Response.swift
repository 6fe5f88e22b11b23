internal import NIOCore
internal import NIOHTTP1

/// A complete response of the server's session, for an HTTP/1.1 client.
struct HTTP1Response {
    var status = HTTPResponseStatus.internalServerError
    var fields = HTTPHeaders()
    var body: [UInt8] = []

    init(status: HTTPResponseStatus = .internalServerError) {
        self.status = status
    }

    /// Returns the parts to write for the response, including its `content-length` field.
    ///
    /// - Parameter closing: whether the connection ends after this response.
    func parts(closing: Bool) -> [HTTPServerResponsePart] {
        var head = HTTPResponseHead(version: .http1_1, status: status, headers: fields)
        if status.mayHaveResponseBody {
            head.headers.replaceOrAdd(name: "content-length", value: String(body.count))
        }
        if closing { head.headers.replaceOrAdd(name: "connection", value: "close") }
        return [.head(head), .body(.byteBuffer(ByteBuffer(bytes: body))), .end(nil)]
    }
}
