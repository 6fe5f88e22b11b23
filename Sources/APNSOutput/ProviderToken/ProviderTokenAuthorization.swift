import HTTP2Pool
import HTTP2Session
import PushModel

/// The authorization of a connection whose requests carry a provider token. The token is renewed while the connection
/// is open (Apple: "Establishing a token-based connection to APNs").
struct ProviderTokenAuthorization: ConnectionAuthorization {
    private let source: ProviderTokenSource
    private let authority: String
    private var token = ConnectionToken()
    /// The time of the last call of ``fields()``, in milliseconds of the source's clock.
    private var time: Int64 = 0
    private var withToken: HTTP2Fields?

    init(from source: ProviderTokenSource, authority: String) {
        self.source = source
        self.authority = authority
    }

    /// The maximum number of open streams until the first request is authenticated. APNs allows one (Apple: "Sending
    /// notification requests to APNs").
    var streamsUntilProven: Int? { 1 }

    mutating func fields() throws -> HTTP2Fields? {
        time = source.now
        if token.mayChange(now: time), case .token(let current) = source.current(now: time), token.take(current) {
            withToken = nil
            withToken = try .apns(authority: authority, token: current.token)
        }
        return token.isUsable(now: time) ? withToken : nil
    }

    mutating func used() { token.used(now: time) }

    func expired() {
        if let held = token.held { source.refused(held.token) }
    }

    /// Fetches the next token as soon as it is due, so that a recent token is already held if the store becomes
    /// unavailable later.
    func lookAhead() { _ = source.current(now: source.now) }
}

extension HTTP2Fields {
    /// Returns the header fields that all pushes on a connection share.
    static func apns(authority: String, token: Secret? = nil) throws(HTTP2Error) -> HTTP2Fields {
        var fields = [
            HTTP2Field(":method", "POST"), HTTP2Field(":scheme", "https"), HTTP2Field(":authority", authority),
        ]
        if let token { fields.append(.authorization(token)) }
        return try HTTP2Fields(fields)
    }
}

extension HTTP2Field {
    /// Returns the `authorization` field for a provider token. It is marked as never indexed, so that intermediaries do
    /// not put it into an HPACK table.
    static func authorization(_ token: Secret) -> HTTP2Field {
        let text = token.withBytes { String(decoding: $0, as: UTF8.self) }
        return HTTP2Field("authorization", "bearer " + text, neverIndexed: true)
    }
}
