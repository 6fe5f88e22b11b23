internal import CRabbitMQ

/// An observer of a socket's TLS session, which the library does not expose. It also sets the host that the session
/// must verify.
final class TLSObserver {
    private let state: UnsafeMutablePointer<crabbitmq_tls>
    private let host: UnsafeMutablePointer<CChar>

    /// Creates an observer, or returns `nil` if memory is short.
    ///
    /// - Parameter host: the host name or address in the configuration.
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

    /// The TLS session, or `nil` before the handshake.
    var session: OpaquePointer? { state.pointee.session }

    /// The reason why the peer's certificate is not trusted, as OpenSSL's error text. The value is `nil` if the
    /// certificate is trusted or the handshake has not finished.
    var complaint: String? {
        let verification = state.pointee.verification
        guard verification != Int(X509_V_OK), let text = X509_verify_cert_error_string(verification) else { return nil }
        return String(cString: text)
    }

    /// Begins to observe a socket. Call this before the socket is opened.
    ///
    /// - Returns: `false` if memory is short.
    func watch(_ socket: OpaquePointer, verifiesHost: Bool) -> Bool {
        crabbitmq_watch_session(socket, state, host, verifiesHost ? 1 : 0) == 1
    }
}
