internal import CNGHTTP2

/// A header field (RFC 9113, section 8.2).
public struct HTTP2Field: Hashable, Sendable {
    /// The name in lower case. The name of a pseudo-header field begins with a colon.
    public var name: String
    public var value: String
    /// Whether every hop must keep the field out of its compression table (RFC 7541, section 6.2.3). Set this for
    /// secrets.
    public var neverIndexed: Bool

    public init(_ name: String, _ value: String, neverIndexed: Bool = false) {
        self.name = name
        self.value = value
        self.neverIndexed = neverIndexed
    }
}
