import Foundations
internal import CRabbitMQ
import Glibc

extension BrokerLink {
    /// Connects and logs in at the first address of the host that answers. Blocks for up to twice `connectTimeout` at
    /// each address, and while the system looks up the name.
    ///
    /// - Parameter isWanted: a function that is called after a failure and returns whether to try the next address. If
    ///   it returns `false`, the first failure is thrown.
    /// - Throws: ``AMQPError`` naming the host and the step that failed.
    static func open(
        to endpoint: Endpoint, _ configuration: AMQPConfiguration,
        while isWanted: () -> Bool = { true }
    ) throws(AMQPError) -> BrokerLink {
        let configuration = configuration.current
        let addresses =
            if let known = configuration.knownAddresses[endpoint.host] { known } else { try addresses(of: endpoint) }
        var failure: AMQPError?
        for address in addresses {
            if let failure, !isWanted() { throw failure }
            do throws(AMQPError) {
                return try open(to: endpoint, at: address, configuration)
            } catch {
                // If an address refuses the connection or does not answer, the next one is tried. The library itself
                // would give up if the first address did not answer.
                guard [.connectionFailed, .timedOut].contains(error.code) else { throw error }
                failure = failure ?? error
            }
        }
        throw failure ?? AMQPError(.connectionFailed, "connecting to \(endpoint): the name has no address")
    }

    private static func addresses(of endpoint: Endpoint) throws(AMQPError) -> [String] {
        do {
            return try HostAddresses.of(endpoint.host)
        } catch {
            throw AMQPError(.connectionFailed, "connecting to \(endpoint): \(error.reason)")
        }
    }

    private static func open(
        to endpoint: Endpoint, at address: String, _ configuration: AMQPConfiguration
    ) throws(AMQPError) -> BrokerLink {
        let watch = configuration.tls == nil ? nil : TLSObserver(host: endpoint.host)
        let link = try BrokerLink(answerLimit: configuration.connectTimeout, tls: watch)
        var limit = timeval(configuration.connectTimeout)
        amqp_set_handshake_timeout(link.state, &limit)
        amqp_set_rpc_timeout(link.state, &limit)
        try link.openSocket(endpoint, at: address, configuration.tls, limit)
        try logIn(link.state, endpoint, configuration)
        try link.takeOver()
        return link
    }

    private func openSocket(
        _ endpoint: Endpoint, at address: String, _ tls: AMQPTLSConfiguration?, _ limit: timeval
    ) throws(AMQPError) {
        let socket: OpaquePointer? =
            if let tls { try tlsSocket(tls) } else { amqp_tcp_socket_new(state) }
        guard let socket else { throw AMQPError(.connectionFailed, "out of memory") }
        var limit = limit
        errno = 0
        let status = amqp_socket_open_noblock(socket, address, Int32(endpoint.port), &limit)
        guard status != AMQP_STATUS_OK.rawValue else { return }
        // The library does not report the system's error but leaves it in errno.
        let reason = errno
        let peer = endpoint.host == address ? "\(endpoint)" : "\(endpoint) at \(address)"
        guard status == AMQP_STATUS_SOCKET_ERROR.rawValue else {
            if let complaint = self.tls?.complaint {
                throw AMQPError(.tlsFailed, "connecting to \(peer): its certificate is not trusted: \(complaint)")
            }
            let failure = AMQPError(library: status, while: "connecting to \(peer)")
            throw failure.code == .connectionLost ? AMQPError(.connectionFailed, failure.message) : failure
        }
        let text = reason == 0 || reason == EINPROGRESS ? "refused or unreachable" : String(cString: strerror(reason))
        throw AMQPError(.connectionFailed, "connecting to \(peer): \(text)")
    }

    private func tlsSocket(_ tls: AMQPTLSConfiguration) throws(AMQPError) -> OpaquePointer? {
        guard let watch = self.tls, let socket = amqp_ssl_socket_new(state),
            watch.watch(socket, verifiesHost: tls.verifiesPeer && tls.verifiesHostname)
        else { return nil }
        amqp_ssl_socket_set_verify_peer(socket, tls.verifiesPeer ? 1 : 0)
        // `TLSObserver` verifies the host instead. The library would compare the certificate with the address that it
        // connects to, not with the host name.
        amqp_ssl_socket_set_verify_hostname(socket, 0)
        if tls.verifiesPeer, amqp_ssl_socket_set_cacert(socket, tls.authorityFile) != AMQP_STATUS_OK.rawValue {
            throw AMQPError(.tlsFailed, "TLS certificate authorities: cannot use the file \(tls.authorityFile)")
        }
        if let client = tls.clientCertificate,
            amqp_ssl_socket_set_key(socket, client.certificateFile, client.keyFile) != AMQP_STATUS_OK.rawValue
        {
            throw AMQPError(
                .tlsFailed,
                "TLS client certificate: cannot use \(client.certificateFile) with the key \(client.keyFile)")
        }
        // `AMQP_TLSvLATEST` also allows TLS 1.3.
        amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST)
        return socket
    }

    private static func logIn(
        _ state: amqp_connection_state_t, _ endpoint: Endpoint, _ configuration: AMQPConfiguration
    ) throws(AMQPError) {
        let pool = FieldPool()
        var properties = pool.table([
            "product": "Martlet",
            "connection_name": .string(configuration.connectionName),
            "capabilities": .table([
                "publisher_confirms": true, "basic.nack": true, "consumer_cancel_notify": true,
                "connection.blocked": true,
            ]),
        ])
        let attempt =
            "logging in to \(endpoint) as user \"\(configuration.user)\", virtual host \"\(configuration.virtualHost)\""
        let reply = withExtendedLifetime(pool) {
            switch configuration.mechanism {
            case .password:
                crabbitmq_login_plain(
                    state, configuration.virtualHost, Int32(configuration.maximumFrameSize),
                    Int32(configuration.heartbeatSeconds), &properties, configuration.user, configuration.password.text)
            case .certificate:
                crabbitmq_login_external(
                    state, configuration.virtualHost, Int32(configuration.maximumFrameSize),
                    Int32(configuration.heartbeatSeconds), &properties, configuration.user)
            }
        }
        try reply.check(attempt)
    }
}

extension timeval {
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    }
}
