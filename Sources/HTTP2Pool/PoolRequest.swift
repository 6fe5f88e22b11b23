package import HTTP2Session

/// A request from a pool's client.
package struct PoolRequest {
    package let tag: Int
    /// The value of `:path`. The pool reads it before it calls the client again.
    package let path: UnsafeRawBufferPointer
    /// The header fields of this request, in addition to the fields of its connection.
    package let fields: HTTP2Fields
    package let body: HTTP2Body
    /// The maximum number of bytes to keep of this request's answer body. The configuration's limit applies as well.
    package let maximumAnswerBytes: Int32

    package init(
        tag: Int, path: UnsafeRawBufferPointer, fields: HTTP2Fields, body: HTTP2Body, maximumAnswerBytes: Int32 = .max
    ) {
        self.tag = tag
        self.path = path
        self.fields = fields
        self.body = body
        self.maximumAnswerBytes = maximumAnswerBytes
    }
}
