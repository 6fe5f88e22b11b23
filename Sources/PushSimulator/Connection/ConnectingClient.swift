/// A client whose TLS handshake has completed.
public struct ConnectingClient: Sendable {
    /// The client's certificate in DER, signed by the simulator's authority, or `nil` if the client sent none.
    package let certificate: [UInt8]?
    /// The index of the port to which the client connected. 0 is the port for pushes. The following indexes are the
    /// ports in ``ServerConfiguration/otherPorts``.
    package let port: Int
    package let speaks: ApplicationProtocol
}
