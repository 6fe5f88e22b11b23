import HTTP2Pool
import HTTP2Session
import PushModel

/// A connection whose requests carry an access token, which is renewed while it lasts.
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
    /// What all messages on a connection have in common. The token is as long as a message, and nothing that a stranger
    /// chooses is in the same compression table: so it is indexed.
    static func fcm(authority: String, token: Secret) throws(HTTP2Error) -> HTTP2Fields {
        try HTTP2Fields([
            HTTP2Field(":method", "POST"), HTTP2Field(":scheme", "https"), HTTP2Field(":authority", authority),
            HTTP2Field("content-type", "application/json"),
            HTTP2Field("authorization", "Bearer " + token.withBytes { String(decoding: $0, as: UTF8.self) }),
        ])
    }
}
