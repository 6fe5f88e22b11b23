/// Writes the request path of an app's broadcasts, `/4/broadcasts/apps/<bundle id>`, into memory of its own
/// that is used again for each of them.
package struct BroadcastPath: ~Copyable {
    private static let prefix = Array("/4/broadcasts/apps/".utf8)
    private static let maximumBytes = 255

    private let storage: UnsafeMutableBufferPointer<UInt8>

    package init() {
        storage = .allocate(capacity: Self.prefix.count + Self.maximumBytes)
        _ = storage.initialize(fromContentsOf: Self.prefix)
    }

    deinit { storage.deallocate() }

    /// Whether a path can name this app as it is: RFC 3986's unreserved characters, which all bundle ids keep to.
    package static func canHold(_ app: String) -> Bool {
        !app.isEmpty && app.utf8.count <= maximumBytes
            && app.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "~"):
                    true
                default: false
                }
            }
    }

    /// The path for an app, valid until the next call; nil when no path can name it.
    package mutating func write(_ app: String) -> UnsafeRawBufferPointer? {
        guard Self.canHold(app) else { return nil }
        var end = Self.prefix.count
        for byte in app.utf8 {
            storage[end] = byte
            end += 1
        }
        return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage)[..<end])
    }
}
