/// A server's answer to one request.
package struct PoolAnswer {
    package let status: Int
    /// The body, or only its beginning if ``isTooLong`` is `true` or ``cut`` is set.
    package let body: [UInt8]
    /// Whether the body is longer than the configuration or the request allows.
    package let isTooLong: Bool
    /// The reason why the end of the body is missing, or `nil` if the answer is complete. It is set only if the status
    /// shows that the request was accepted (2xx).
    package let cut: RequestLoss?
    /// The time since the request was put on the wire, in milliseconds.
    package let milliseconds: Int64

    package init(
        status: Int, body: [UInt8], isTooLong: Bool = false, cut: RequestLoss? = nil, milliseconds: Int64
    ) {
        self.status = status
        self.body = body
        self.isTooLong = isTooLong
        self.cut = cut
        self.milliseconds = milliseconds
    }
}
