/// The limits of a server, which keep slow and careless clients from occupying it.
package struct ServingLimits: Sendable {
    /// The number of open connections. With more, the server closes the oldest one without a request.
    package var connections = 400
    /// The maximum size of a body, in bytes.
    package var body = 0
    /// The maximum time from the start of a connection until its request is complete.
    package var request = Duration.seconds(1)
    /// The maximum time of a connection, or `nil` if a response may take any time.
    package var connection: Duration?

    package init() {}

    /// The maximum size of a request as it is transmitted, in bytes. A chunked body is longer when it is transmitted.
    var requestBytes: Int { (128 << 10) + 8 * body }
}
