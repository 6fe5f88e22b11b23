import HTTP2Session

extension HTTP2Fields {
    /// Returns the header fields that all batches to a receiver share.
    static func webhook(_ url: WebhookURL) throws(HTTP2Error) -> HTTP2Fields { try HTTP2Fields(common(url)) }

    /// Returns the header fields that differ for each batch.
    static func batch(id: String, seconds: Int64, signature: String) throws(HTTP2Error) -> HTTP2Fields {
        try HTTP2Fields(own(id, seconds, signature))
    }

    /// Returns all header fields of a single request except `:path`.
    static func webhook(
        _ url: WebhookURL, id: String, seconds: Int64, signature: String
    ) throws(HTTP2Error) -> HTTP2Fields {
        try HTTP2Fields(common(url) + own(id, seconds, signature))
    }

    private static func common(_ url: WebhookURL) -> [HTTP2Field] {
        [
            HTTP2Field(":method", "POST"), HTTP2Field(":scheme", url.isPlain ? "http" : "https"),
            HTTP2Field(":authority", url.authority), HTTP2Field("content-type", "application/json"),
            HTTP2Field("accept", "application/json"), HTTP2Field("user-agent", "martlet"),
        ]
    }

    private static func own(_ id: String, _ seconds: Int64, _ signature: String) -> [HTTP2Field] {
        [
            HTTP2Field("webhook-id", id, neverIndexed: true),
            HTTP2Field("webhook-timestamp", "\(seconds)", neverIndexed: true),
            HTTP2Field("webhook-signature", signature, neverIndexed: true),
        ]
    }
}
