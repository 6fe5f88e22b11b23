/// Who has come through TLS.
public struct ConnectingClient: Sendable {
    /// Its certificate in DER form, which the simulator's authority has signed; nil: it showed none.
    package let certificate: [UInt8]?
    /// Where it came in: 0 is the port for pushes, others follow as in ``ServerConfiguration/otherPorts``.
    package let port: Int
    package let speaks: ApplicationProtocol
}
