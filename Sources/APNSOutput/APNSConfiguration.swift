import PushModel

/// How to reach APNs and how hard to use it.
public struct APNSConfiguration: Sendable {
    public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
        public let host: String
        public let port: Int

        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        public var description: String { "\(host):\(port)" }
    }

    /// Apple: `api.push.apple.com`, port 443 or 2197.
    public var production: Endpoint
    /// Apple: `api.sandbox.push.apple.com`, port 443 or 2197.
    public var sandbox: Endpoint
    /// PEM file with the authorities to trust in place of the system's.
    public var authorityFile: String?
    /// Most connections of one credential to one environment.
    public var maximumConnections: Int
    /// How long an answer may take, in seconds.
    public var requestTimeoutSeconds: Int
    /// How long connecting and the TLS handshake may take together, in seconds.
    public var connectTimeoutSeconds: Int

    public init(
        production: Endpoint = Endpoint(host: "api.push.apple.com", port: 443),
        sandbox: Endpoint = Endpoint(host: "api.sandbox.push.apple.com", port: 443),
        authorityFile: String? = nil, maximumConnections: Int = 8, requestTimeoutSeconds: Int = 60,
        connectTimeoutSeconds: Int = 10
    ) {
        self.production = production
        self.sandbox = sandbox
        self.authorityFile = authorityFile
        self.maximumConnections = maximumConnections
        self.requestTimeoutSeconds = requestTimeoutSeconds
        self.connectTimeoutSeconds = connectTimeoutSeconds
    }

    func endpoint(for environment: PushEnvironment) -> Endpoint {
        switch environment {
        case .production: production
        case .sandbox: sandbox
        }
    }
}
