import HTTP2Pool
import HTTP2Session
import PushModel

/// The authorization of a connection whose requests carry an access token. The token is renewed while the connection is
/// open.
struct BearerAuthorization: ConnectionAuthorization {
    private let source: AccessTokenSource
    private let authority: String
    private var held: Secret?
    private var withToken: HTTP2Fields?

    init(from source: AccessTokenSource, authority: String) {
        self.source = source
        self.authority = authority
    }

    var streamsUntilProven: Int? { nil }

    mutating func fields() throws -> HTTP2Fields? {
        guard case .token(let token) = source.current(now: Uptime.milliseconds()) else { return nil }
        if held != token {
            held = token
            withToken = nil
            withToken = try .fcm(authority: authority, token: token)
        }
        return withToken
    }

    func used() {}

    func expired() {
        if let held { source.refused(held) }
    }

    func lookAhead() { source.lookAhead(now: Uptime.milliseconds()) }
}

extension HTTP2Fields {
    /// Returns the header fields that all messages on a connection share. The token is about as long as a message, so
    /// it is stored in the header compression table instead of being sent with each message. This is safe, because
    /// attackers cannot choose any text in the table.
    static func fcm(authority: String, token: Secret) throws(HTTP2Error) -> HTTP2Fields {
        try HTTP2Fields([
            HTTP2Field(":method", "POST"), HTTP2Field(":scheme", "https"), HTTP2Field(":authority", authority),
            HTTP2Field("content-type", "application/json"),
            HTTP2Field("authorization", "Bearer " + token.withBytes { String(decoding: $0, as: UTF8.self) }),
        ])
    }
}
