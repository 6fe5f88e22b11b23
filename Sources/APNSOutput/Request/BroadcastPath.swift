/// A writer for the request path of an app's broadcasts, `/4/broadcasts/apps/<bundle id>`. It reuses its memory for
/// each path.
package struct BroadcastPath: ~Copyable {
    private static let prefix = Array("/4/broadcasts/apps/".utf8)
    private static let maximumBytes = 255

    private let storage: UnsafeMutableBufferPointer<UInt8>

    package init() {
        storage = .allocate(capacity: Self.prefix.count + Self.maximumBytes)
        _ = storage.initialize(fromContentsOf: Self.prefix)
    }

    deinit { storage.deallocate() }

    /// Returns whether a path can contain the app unescaped. Only RFC 3986's unreserved characters are allowed, which
    /// cover all bundle ids.
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

    /// Returns the path for an app, or `nil` if no path can contain it. The memory is valid until the next call.
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
