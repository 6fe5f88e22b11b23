/// What a server answered.
package struct PoolAnswer {
    package let status: Int
    /// The body, or its beginning if ``isTooLong``.
    package let body: [UInt8]
    /// Whether the body is longer than the configuration allows.
    package let isTooLong: Bool
    /// The request was accepted, as its status says (2xx), and this is why the end of the body has not come; nil: it has.
    package let cut: RequestLoss?
    /// Since the request was put on the wire.
    package let milliseconds: Int64
}
