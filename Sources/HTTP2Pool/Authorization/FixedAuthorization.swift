package import HTTP2Session

/// An authorization whose fields never change. It is used if this worker is authenticated by a client certificate, by
/// each request's own fields, or by a token that stays valid for the life of the connection.
package struct FixedAuthorization: ConnectionAuthorization {
    private let fixed: HTTP2Fields

    package init(_ fields: HTTP2Fields) {
        fixed = fields
    }

    package var streamsUntilProven: Int? { nil }
    package func fields() -> HTTP2Fields? { fixed }
    package func used() {}
    package func expired() {}
    package func lookAhead() {}
}
