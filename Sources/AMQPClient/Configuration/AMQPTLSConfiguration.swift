/// The TLS settings of a connection to the broker. The minimum version is TLS 1.2.
package struct AMQPTLSConfiguration: Sendable, Hashable {
    /// The PEM file of the trusted certificate authorities.
    package var authorityFile: String
    /// The PEM files of this client's certificate chain and unencrypted key, for a broker that requests a certificate.
    /// If `nil`, the client presents no certificate.
    package var clientCertificate: ClientCertificate?
    /// Whether a trusted authority must have issued the broker's certificate.
    package var verifiesPeer: Bool
    /// Whether the broker's certificate must match the host name or IP address in the URL. Ignored if ``verifiesPeer``
    /// is `false`.
    package var verifiesHostname: Bool

    package struct ClientCertificate: Sendable, Hashable {
        package var certificateFile: String
        package var keyFile: String

        package init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// Creates TLS settings. By default, the operating system's authorities are trusted (Debian's `ca-certificates`).
    package init(
        authorityFile: String = "/etc/ssl/certs/ca-certificates.crt", clientCertificate: ClientCertificate? = nil,
        verifiesPeer: Bool = true, verifiesHostname: Bool = true
    ) {
        self.authorityFile = authorityFile
        self.clientCertificate = clientCertificate
        self.verifiesPeer = verifiesPeer
        self.verifiesHostname = verifiesHostname
    }
}
