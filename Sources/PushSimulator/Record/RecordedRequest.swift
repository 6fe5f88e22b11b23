/// A request as it came in, and what was answered.
public struct RecordedRequest: Codable, Sendable, Equatable {
    /// Whom the push is for; the path if the request is about something else.
    public var token: String
    /// All fields but the pseudo-headers and `authorization`.
    public var fields: [String: String]
    /// The body's first 8,192 bytes, as UTF-8.
    public var payload: String
    /// nil: it was not answered.
    public var status: Int?
    public var reason: String?
    /// What shows by which credential the request was sent; nil: none was accepted.
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
