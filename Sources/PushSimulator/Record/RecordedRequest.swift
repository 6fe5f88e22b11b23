public import Foundation

/// A received request, and the answer to it.
public struct RecordedRequest: Codable, Sendable, Equatable {
    /// The token of a push, or the path if the request is not a push.
    public var token: String
    /// All header fields except the pseudo-headers and `authorization`.
    public var fields: [String: String]
    /// The first bytes of the body, decoded as UTF-8. At most 8,192 bytes are kept, or more if the service needs them.
    public var payload: String
    /// The bytes of the payload if they are not valid UTF-8, or `nil` if they are.
    public var payloadBytes: Data?
    /// The status of the answer, or `nil` if the request was not answered.
    public var status: Int?
    public var reason: String?
    /// An identifier of the credential with which the request was sent, or `nil` if no credential was accepted.
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
