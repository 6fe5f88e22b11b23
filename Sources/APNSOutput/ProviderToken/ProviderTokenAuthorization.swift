import HTTP2Pool
import HTTP2Session
import PushModel

/// A connection whose requests carry a provider token, which is renewed while it lasts (Apple: "Establishing a token-based
/// connection to APNs").
struct ProviderTokenAuthorization: ConnectionAuthorization {
    private let source: ProviderTokenSource
    private let authority: String
    private var token = ConnectionToken()
    /// Of the source's clock, when it was last asked.
    private var time: Int64 = 0
    private var withToken: HTTP2Fields?

    init(from source: ProviderTokenSource, authority: String) {
        self.source = source
        self.authority = authority
    }

    /// APNs allows one until the first request is authenticated (Apple: "Sending notification requests to APNs").
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

    /// The next token is fetched as soon as it is due, so that an outage of the store does not find us with an old one
    /// only.
    func lookAhead() { _ = source.current(now: source.now) }
}

extension HTTP2Fields {
    /// What all pushes on a connection have in common.
    static func apns(authority: String, token: Secret? = nil) throws(HTTP2Error) -> HTTP2Fields {
        var fields = [
            HTTP2Field(":method", "POST"), HTTP2Field(":scheme", "https"), HTTP2Field(":authority", authority),
        ]
        if let token { fields.append(.authorization(token)) }
        return try HTTP2Fields(fields)
    }
}

extension HTTP2Field {
    /// A provider token's field; no compression table on the way may keep it.
    static func authorization(_ token: Secret) -> HTTP2Field {
        let text = token.withBytes { String(decoding: $0, as: UTF8.self) }
        return HTTP2Field("authorization", "bearer " + text, neverIndexed: true)
    }
}
