/// A request as it came in, and what was answered.
public struct RecordedRequest: Codable, Sendable, Equatable {
    /// What the path has after `/3/device/`, or the path itself if it is another one.
    public var token: String
    /// All fields but the pseudo-headers and `authorization`.
    public var fields: [String: String]
    /// The body's first 8,192 bytes, as UTF-8.
    public var payload: String
    /// nil: it was not answered.
    public var status: Int?
    public var reason: String?
    /// The key id of the accepted provider token, or the SHA-256 of the client's certificate in hex; nil: neither.
    public var credential: String?

    public init(
        token: String, fields: [String: String], payload: String, status: Int? = nil, reason: String? = nil,
        credential: String? = nil
    ) {
        self.token = token
        self.fields = fields
        self.payload = payload
        self.status = status
        self.reason = reason
        self.credential = credential
    }
}
