internal import CNGHTTP2

/// One header field (RFC 9113, section 8.2).
public struct HTTP2Field: Hashable, Sendable {
    /// Lower case; a pseudo-header's begins with a colon.
    public var name: String
    public var value: String
    /// Never put in a compression table, by anyone on the way (RFC 7541, section 6.2.3): for secrets.
    public var neverIndexed: Bool

    public init(_ name: String, _ value: String, neverIndexed: Bool = false) {
        self.name = name
        self.value = value
        self.neverIndexed = neverIndexed
    }
}
