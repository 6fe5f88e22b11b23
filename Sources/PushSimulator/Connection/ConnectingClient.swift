/// A client whose TLS handshake has completed.
public struct ConnectingClient: Sendable {
    /// The client's certificate in DER form, signed by the simulator's authority, or `nil` if the client sent none.
    package let certificate: [UInt8]?
    /// The index of the port that the client connected to: 0 is the port for pushes, and the others follow as in
    /// ``ServerConfiguration/otherPorts``.
    package let port: Int
    package let speaks: ApplicationProtocol
}
