import Foundation
import Glibc
package import NIOCore
package import NIOHTTP1

/// A response with its complete body.
package struct HTTPResponse: Sendable {
    package var status: HTTPResponseStatus
    package var fields: HTTPHeaders
    package var body: ByteBuffer

    /// Creates a response.
    ///
    /// - Parameter type: the media type of the body, or `nil` if there is no body.
    package init(_ status: HTTPResponseStatus, _ type: String? = nil, _ body: ByteBuffer = ByteBuffer()) {
        (self.status, self.body) = (status, body)
        fields = HTTPHeaders(type.map { [("Content-Type", $0)] } ?? [])
    }

    package init(_ status: HTTPResponseStatus, _ type: String, _ body: String) {
        self.init(status, type, ByteBuffer(string: body))
    }

    /// Creates a response with a line of text.
    package init(_ status: HTTPResponseStatus, line: String) {
        self.init(status, "text/plain; charset=utf-8", line + "\n")
    }

    /// Returns the response with these fields, which replace fields of the same name.
    func adding(_ fields: [(name: String, value: String)]) -> HTTPResponse {
        var response = self
        for (name, value) in fields { response.fields.replaceOrAdd(name: name, value: value) }
        return response
    }

    /// Returns the parts to write.
    ///
    /// - Parameter isHead: whether the request's method is HEAD. Its response has the fields of the body, but no body
    ///   (RFC 9110, section 9.3.2).
    func parts(isHead: Bool) -> [HTTPServerResponsePart] {
        var head = HTTPResponseHead(version: .http1_1, status: status, headers: fields)
        head.headers.replaceOrAdd(name: "Date", value: Self.date(Date()))
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        guard status.mayHaveResponseBody else { return [.head(head), .end(nil)] }
        head.headers.replaceOrAdd(name: "Content-Length", value: String(body.readableBytes))
        return isHead ? [.head(head), .end(nil)] : [.head(head), .body(.byteBuffer(body)), .end(nil)]
    }

    /// Returns a time in the format of the `Date` field (RFC 9110, section 5.6.7), such as
    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func date(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970)
        var fields = tm()
        gmtime_r(&seconds, &fields)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            let length = strftime(start, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &fields)
            return String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
