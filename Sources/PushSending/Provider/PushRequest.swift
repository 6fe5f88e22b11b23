internal import HTTP2Session

/// A POST request for one recipient.
public struct PushRequest: Sendable {
    let path: HTTP2Body
    let fields: HTTP2Fields
    let body: HTTP2Body

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - path: The path with its query, percent-encoded.
    ///   - fields: The header fields of this request, in addition to ``PushServer/fields``. Names are in lower case.
    /// - Throws: ``PushFault`` with the reason `InvalidRequest` if the path or a field is not valid in HTTP.
    public init(path: String, fields: [String: String] = [:], body: [UInt8]) throws(PushFault) {
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw PushFault(SendingReason.invalidRequest, detail: "the path is not an absolute path in ASCII")
        }
        self.path = HTTP2Body(path.utf8)
        self.fields = try Self.encode(fields.map { HTTP2Field($0, $1) })
        self.body = HTTP2Body(body)
    }

    /// Encodes the header fields that all requests to a server share.
    ///
    /// - Parameter request: A request whose fields are added, or `nil` for none.
    /// - Throws: ``PushFault`` if a field is not valid in HTTP. The fault contains no field values.
    static func fields(
        of server: PushServer, authority: String, adding request: PushRequest? = nil
    ) throws(PushFault) -> HTTP2Fields {
        var fields = ["user-agent": "martlet"].merging(server.fields) { $1 }.map { HTTP2Field($0, $1) }
        fields += server.secretFields.map { HTTP2Field($0, $1, neverIndexed: true) }
        request?.fields.forEach { fields.append(HTTP2Field($0, $1)) }
        return try encode(
            fields,
            after: [
                HTTP2Field(":method", "POST"), HTTP2Field(":scheme", "https"), HTTP2Field(":authority", authority),
            ])
    }

    private static func encode(
        _ fields: [HTTP2Field], after pseudoFields: [HTTP2Field] = []
    ) throws(PushFault) -> HTTP2Fields {
        if let pseudo = fields.first(where: { $0.name.hasPrefix(":") }) {
            throw PushFault(SendingReason.invalidRequest, detail: "'\(pseudo.name)' is not a header field")
        }
        do {
            return try HTTP2Fields(pseudoFields + fields)
        } catch {
            throw PushFault(SendingReason.invalidRequest, detail: error.message)
        }
    }
}
