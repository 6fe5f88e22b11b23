import Foundations

/// The address that a simulator listens on, as its greeting shows it.
struct ListeningAddress {
    private let host: String

    init(host: String) {
        self.host = host
    }

    func at(_ port: Int) -> Endpoint { Endpoint(host: host, port: port) }

    /// Returns an address that a client can connect to. A wildcard address becomes `localhost`.
    func callable(_ port: Int) -> Endpoint {
        ["0.0.0.0", "::"].contains(host) ? Endpoint(host: "localhost", port: port) : at(port)
    }
}
