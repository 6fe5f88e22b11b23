package import HTTP2Session

/// The header fields that a job's requests to one origin share.
package struct RequestFields {
    package let withBody: HTTP2Fields
    /// The fields of a message without a payload. They contain no content coding (RFC 8030).
    package let withoutBody: HTTP2Fields

    package init(
        _ request: WebPushRequest, ttl: Int64, authorization: String, to service: PushService
    ) throws(HTTP2Error) {
        let fields = Self.fields(of: request, ttl: ttl, authorization: authorization, to: service)
        withoutBody = try HTTP2Fields(fields)
        withBody = try HTTP2Fields(
            fields + [
                HTTP2Field("content-encoding", "aes128gcm"), HTTP2Field("content-type", request.contentType),
            ])
    }

    /// Returns the fields of a message without a body.
    static func fields(
        of request: WebPushRequest, ttl: Int64, authorization: String, to service: PushService
    ) -> [HTTP2Field] {
        var fields = [HTTP2Field("ttl", "\(ttl)"), HTTP2Field("authorization", authorization)]
        if let urgency = request.urgency { fields.append(HTTP2Field("urgency", urgency)) }
        if let topic = request.topic { fields.append(HTTP2Field("topic", topic)) }
        if service == .microsoft {
            // Microsoft's service refuses messages unless a TTL of 0 comes with no-cache and any other TTL with cache.
            fields.append(HTTP2Field("x-wns-cache-policy", ttl == 0 ? "no-cache" : "cache"))
        }
        return fields
    }
}

extension HTTP2Fields {
    /// Returns the fields that all messages to an origin share.
    static func messageFields(to authority: String) -> [HTTP2Field] {
        [HTTP2Field(":method", "POST"), HTTP2Field(":scheme", "https"), HTTP2Field(":authority", authority)]
    }
}
