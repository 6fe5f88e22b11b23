package import Addressing

/// Where a double listens, as its greeting says it.
package struct ListeningAddress {
    private let host: String

    package init(host: String) {
        self.host = host
    }

    package func at(_ port: Int) -> Endpoint { Endpoint(host: host, port: port) }

    /// One can't call "all addresses".
    package func callable(_ port: Int) -> Endpoint {
        ["0.0.0.0", "::"].contains(host) ? Endpoint(host: "localhost", port: port) : at(port)
    }
}
