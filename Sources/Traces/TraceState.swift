/// A validator for the header `tracestate`, in which tracing systems keep their own data (W3C Trace Context). Martlet
/// passes the header on unchanged and does not interpret it.
package enum TraceState {
    package static let maximumBytes = 512
    package static let maximumMembers = 32

    /// Returns whether a text is a valid `tracestate` list within ``maximumBytes`` and ``maximumMembers``. Tracing
    /// systems should propagate lists within these limits.
    package static func isGood(_ text: String) -> Bool {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= maximumBytes else { return false }
        let members = bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        return members.count <= maximumMembers && members.allSatisfy(isGood(member:))
    }

    /// Returns whether a list member is valid. An empty member is valid, and so are blanks around a member.
    private static func isGood(member: Substring.UTF8View) -> Bool {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var member = member.drop(while: isBlank)
        while let last = member.last, isBlank(last) { member.removeLast() }
        guard !member.isEmpty else { return true }
        guard let sign = member.firstIndex(of: UInt8(ascii: "=")) else { return false }
        let (key, value) = (member[..<sign], member[sign...].dropFirst())
        return (1...256).contains(key.count) && (1...256).contains(value.count)
            && key.allSatisfy(isKey) && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }

    private static func isKey(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "/"), UInt8(ascii: "@"): true
        default: false
        }
    }
}
