import Foundation
package import NIOCore
package import NIOHTTP1

/// A request that a client has sent.
package struct HTTPRequest: Sendable {
    package let method: HTTPMethod
    /// The path, still percent-encoded and without the query.
    package let path: String
    /// The host and the port that the client asked for, or `nil` if the request has none.
    package let authority: String?
    package let fields: HTTPHeaders
    /// The body, or `nil` if it is longer than the server allows.
    package let body: ByteBuffer?
    /// The part of the path that stands for the route's parameter, still percent-encoded. Empty if the route has no
    /// parameter.
    package internal(set) var parameter = ""
    private let query: Substring

    /// Creates a request, or returns `nil` if its target or its `Host` fields are not valid (RFC 9112, section 3.2).
    package init?(_ head: HTTPRequestHead, body: ByteBuffer?) {
        let hosts = head.headers["host"]
        guard hosts.count == 1 || hosts.isEmpty && head.version == .http1_0 else { return nil }
        var target = head.uri[...]
        var authority = hosts.first
        if let scheme = target.firstRange(of: "://"), target[..<scheme.lowerBound].lowercased() == "http" {
            target = target[scheme.upperBound...]
            let end = target.firstIndex { $0 == "/" || $0 == "?" } ?? target.endIndex
            authority = String(target[..<end])
            target = target[end...]
        } else if !target.hasPrefix("/") {
            return nil
        }
        guard authority.map(Self.isAuthority) ?? true else { return nil }
        let end = target.firstIndex(of: "?") ?? target.endIndex
        path = end == target.startIndex ? "/" : String(target[..<end])
        query = target[end...].dropFirst()
        (method, fields) = (head.method, head.headers)
        (self.authority, self.body) = (authority, body)
    }

    /// Returns whether a text consists of characters that a host and a port may have (RFC 3986, section 3.2).
    private static func isAuthority(_ text: String) -> Bool {
        let others = Set("-._~%!$&'()*+,;=:[]".utf8)
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: others.contains(byte)
            }
        }
    }

    /// The parts of the path between slashes, without empty parts.
    var parts: [Substring] { path.split(separator: "/") }

    /// Returns the decoded value of a field of the query, or `nil` if the query does not have the field. A value that
    /// cannot be decoded is returned unchanged.
    package func queryValue(_ name: String) -> String? {
        for field in query.split(separator: "&") {
            let (key, value) = field.firstIndex(of: "=").map { (field[..<$0], field[$0...].dropFirst()) } ?? (field, "")
            if key == name { return value.removingPercentEncoding ?? String(value) }
        }
        return nil
    }
}
