internal import CRabbitMQ

/// The TLS session of a socket, of which the library tells nothing, and whose host it is to be.
final class TLSWatch {
    private let state: UnsafeMutablePointer<crabbitmq_tls>
    private let host: UnsafeMutablePointer<CChar>

    /// - Parameter host: a name or an address, as the configuration has it.
    init?(host: String) {
        guard let copy = strdup(host) else { return nil }
        self.host = copy
        state = .allocate(capacity: 1)
        state.initialize(to: crabbitmq_tls(session: nil, name: nil, verification: Int(X509_V_OK)))
    }

    deinit {
        state.deallocate()
        free(host)
    }

    /// From the handshake on.
    var session: OpaquePointer? { state.pointee.session }

    /// Why the peer's certificate is not to be trusted, in OpenSSL's words; nil where it is, or where that was not asked.
    var complaint: String? {
        let verification = state.pointee.verification
        guard verification != Int(X509_V_OK), let text = X509_verify_cert_error_string(verification) else { return nil }
        return String(cString: text)
    }

    /// Before the socket is opened.
    /// - Returns: false when there is no memory.
    func watch(_ socket: OpaquePointer, verifiesHost: Bool) -> Bool {
        crabbitmq_watch_session(socket, state, host, verifiesHost ? 1 : 0) == 1
    }
}
