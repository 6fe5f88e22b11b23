/// The limits of a server, which keep slow and careless clients from occupying it.
package struct ServingLimits: Sendable {
    /// The maximum number of open connections.
    package var connections = 400
    /// The maximum size of a body, in bytes.
    package var body = 0
    /// The maximum time from the start of a connection until its request is complete.
    package var request = Duration.seconds(1)
    /// The maximum time for sending a response.
    package var sending = Duration.seconds(5)

    package init() {}
}
