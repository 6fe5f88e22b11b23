/// How the provider tokens of one key have been used: what a fleet of senders that share the key must keep to.
public struct TokenUse: Codable, Hashable, Sendable {
    /// Issue times of the different tokens seen, in seconds since 1970, rising.
    public private(set) var issued: [Int64] = []
    /// The greatest age at which one was first used on a connection, in seconds.
    public private(set) var greatestAge: Int64 = 0
    /// Tokens that came too soon after another on the same connection.
    public private(set) var updatesTooSoon = 0
    /// Tokens that were too old.
    public private(set) var expired = 0
    private var texts: Set<[UInt8]> = []

    enum CodingKeys: String, CodingKey {
        case issued, greatestAge = "greatest_age", updatesTooSoon = "updates_too_soon", expired
    }

    /// The shortest time between the issue of two tokens, in seconds; nil when there were not two.
    public var shortestInterval: Int64? {
        zip(issued, issued.dropFirst()).map { $1 - $0 }.min()
    }

    mutating func note(_ token: ProviderToken, refusal: RejectionReason?, at now: Int64) {
        switch refusal {
        case .tooManyProviderTokenUpdates: updatesTooSoon += 1
        case .expiredProviderToken: expired += 1
        default: greatestAge = max(greatestAge, now - token.issuedAt)
        }
        guard texts.insert(token.text).inserted else { return }
        let place = issued.firstIndex { $0 > token.issuedAt } ?? issued.endIndex
        issued.insert(token.issuedAt, at: place)
    }
}
