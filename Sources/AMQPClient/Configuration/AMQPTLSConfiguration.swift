/// TLS towards the broker. TLS 1.2 is the least version.
public struct AMQPTLSConfiguration: Sendable, Hashable {
    /// PEM file of the certificate authorities to trust.
    public var authorityFile: String
    /// PEM files of this client's certificate chain and unencrypted key, where the broker asks for one.
    public var clientCertificate: ClientCertificate?
    /// Whether the broker's certificate must come from a trusted authority.
    public var verifiesPeer: Bool
    /// Whether the broker's certificate must be for the host name, or the IP address, in the URL.
    public var verifiesHostname: Bool

    public struct ClientCertificate: Sendable, Hashable {
        public var certificateFile: String
        public var keyFile: String

        public init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// The default authorities are those of the operating system (Debian's `ca-certificates`).
    public init(
        authorityFile: String = "/etc/ssl/certs/ca-certificates.crt", clientCertificate: ClientCertificate? = nil,
        verifiesPeer: Bool = true, verifiesHostname: Bool = true
    ) {
        self.authorityFile = authorityFile
        self.clientCertificate = clientCertificate
        self.verifiesPeer = verifiesPeer
        self.verifiesHostname = verifiesHostname
    }
}
