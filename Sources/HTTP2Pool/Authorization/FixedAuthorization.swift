package import HTTP2Session

/// An authorization whose fields never change, because TLS alone authenticates us, or a token that lives as long as the
/// connection.
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
