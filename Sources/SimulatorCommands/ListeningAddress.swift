package import Addressing

/// The address that a simulator listens on, as its greeting shows it.
package struct ListeningAddress {
    private let host: String

    package init(host: String) {
        self.host = host
    }

    package func at(_ port: Int) -> Endpoint { Endpoint(host: host, port: port) }

    /// Returns an address that a client can connect to. A wildcard address becomes `localhost`.
    package func callable(_ port: Int) -> Endpoint {
        ["0.0.0.0", "::"].contains(host) ? Endpoint(host: "localhost", port: port) : at(port)
    }
}
