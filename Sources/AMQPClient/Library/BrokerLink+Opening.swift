internal import CRabbitMQ
import Glibc

extension BrokerLink {
    /// Connects and logs in. Blocks for up to twice `connectTimeout`, and for the system's name lookup.
    ///
    /// - Throws: ``AMQPError`` naming the host and the step that failed.
    static func open(
        to endpoint: AMQPConfiguration.Endpoint, _ configuration: AMQPConfiguration
    ) throws(AMQPError) -> BrokerLink {
        guard let state = amqp_new_connection() else { throw AMQPError(.connectionFailed, "Out of memory") }
        do throws(AMQPError) {
            var limit = timeval(configuration.connectTimeout)
            amqp_set_handshake_timeout(state, &limit)
            amqp_set_rpc_timeout(state, &limit)
            try openSocket(state, endpoint, configuration, limit)
            try logIn(state, endpoint, configuration)
            return try BrokerLink(loggedIn: state)
        } catch {
            amqp_destroy_connection(state)
            throw error
        }
    }

    private static func openSocket(
        _ state: amqp_connection_state_t, _ endpoint: AMQPConfiguration.Endpoint, _ configuration: AMQPConfiguration,
        _ limit: timeval
    ) throws(AMQPError) {
        let socket: OpaquePointer? =
            if let tls = configuration.tls { try tlsSocket(state, tls) } else { amqp_tcp_socket_new(state) }
        guard let socket else { throw AMQPError(.connectionFailed, "Out of memory") }
        var limit = limit
        errno = 0
        let status = amqp_socket_open_noblock(socket, endpoint.host, Int32(endpoint.port), &limit)
        guard status != AMQP_STATUS_OK.rawValue else { return }
        // The library keeps the system's reason to itself, but leaves errno as it was.
        let reason = errno
        guard status == AMQP_STATUS_SOCKET_ERROR.rawValue else {
            let failure = AMQPError(library: status, while: "Connecting to \(endpoint)")
            throw failure.code == .connectionLost ? AMQPError(.connectionFailed, failure.message) : failure
        }
        let text = reason == 0 || reason == EINPROGRESS ? "refused or unreachable" : String(cString: strerror(reason))
        throw AMQPError(.connectionFailed, "Connecting to \(endpoint): \(text)")
    }

    private static func tlsSocket(
        _ state: amqp_connection_state_t, _ tls: AMQPTLSConfiguration
    ) throws(AMQPError) -> OpaquePointer? {
        guard let socket = amqp_ssl_socket_new(state) else { return nil }
        amqp_ssl_socket_set_verify_peer(socket, tls.verifiesPeer ? 1 : 0)
        amqp_ssl_socket_set_verify_hostname(socket, tls.verifiesHostname ? 1 : 0)
        if tls.verifiesPeer, amqp_ssl_socket_set_cacert(socket, tls.authorityFile) != AMQP_STATUS_OK.rawValue {
            throw AMQPError(.tlsFailed, "TLS certificate authorities: can't use the file \(tls.authorityFile)")
        }
        if let client = tls.clientCertificate,
            amqp_ssl_socket_set_key(socket, client.certificateFile, client.keyFile) != AMQP_STATUS_OK.rawValue
        {
            throw AMQPError(
                .tlsFailed,
                "TLS client certificate: can't use \(client.certificateFile) with the key \(client.keyFile)")
        }
        // Its "latest" is 1.2 by name but leaves 1.3 allowed.
        amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST)
        return socket
    }

    private static func logIn(
        _ state: amqp_connection_state_t, _ endpoint: AMQPConfiguration.Endpoint, _ configuration: AMQPConfiguration
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
            "Logging in to \(endpoint) as user \"\(configuration.user)\", virtual host \"\(configuration.virtualHost)\""
        let reply = withExtendedLifetime(pool) {
            crabbitmq_login_plain(
                state, configuration.virtualHost, Int32(configuration.maximumFrameSize),
                Int32(configuration.heartbeatSeconds), &properties, configuration.user, configuration.password.text)
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
