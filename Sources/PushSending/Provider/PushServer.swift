public import Foundations

/// The server to which a provider's pushes are sent over TLS, and the header fields that all requests share.
public struct PushServer: Sendable {
    public let endpoint: Endpoint
    /// The header fields that all requests share, such as `content-type`. Names are in lower case.
    public let fields: [String: String]
    /// The header fields that contain secrets, such as `authorization`. Compression tables never store them (RFC 7541,
    /// section 7.1.3).
    public let secretFields: [String: String]

    public init(endpoint: Endpoint, fields: [String: String] = [:], secretFields: [String: String] = [:]) {
        self.endpoint = endpoint
        self.fields = fields
        self.secretFields = secretFields
    }
}
