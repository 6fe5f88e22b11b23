public import Foundation

/// A request as it came in, and what was answered.
public struct RecordedRequest: Codable, Sendable, Equatable {
    /// Whom the push is for; the path if the request is about something else.
    public var token: String
    /// All fields but the pseudo-headers and `authorization`.
    public var fields: [String: String]
    /// The body's first bytes, 8,192 of them or as many as the service can need, as UTF-8.
    public var payload: String
    /// The same where they are no UTF-8, as they are; nil: they are.
    public var payloadBytes: Data?
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

    init(
        token: String, fields: [String: String], payload: [UInt8], status: Int?, reason: String?, credential: String?
    ) {
        self.init(
            token: token, fields: fields, payload: String(decoding: payload, as: UTF8.self), status: status,
            reason: reason, credential: credential)
        if String(validating: payload, as: UTF8.self) == nil { payloadBytes = Data(payload) }
    }

    enum CodingKeys: String, CodingKey {
        case token, fields, payload, payloadBytes = "payload_base64", status, reason, credential
    }
}
